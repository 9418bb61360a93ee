/** What a relay shows of itself: metrics, health, and the sample of the database that both are made from. */
package dev.caravan.monitoring;
