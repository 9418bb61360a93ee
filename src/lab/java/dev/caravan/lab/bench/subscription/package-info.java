/** Scenario subscriptions: what many subscriptions of one relay cost. */
package dev.caravan.lab.bench.subscription;
