/**
 * What is guaranteed: progress, the order of deliveries, leases, saves and retries. It reads and writes the tables of a lane and
 * decides what happens next. It knows no route.
 */
package dev.caravan.engine;
