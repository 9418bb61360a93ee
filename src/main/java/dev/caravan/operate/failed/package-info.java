/** Messages that are not tried again unless a person retries them: lists, groups, retry and discard. */
package dev.caravan.operate.failed;
