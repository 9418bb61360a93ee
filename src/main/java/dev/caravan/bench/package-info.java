/** The benchmark: Caravan beside a raw loop that does the same job, in one run on the same servers. */
package dev.caravan.bench;
