/**
 * The benchmark. A {@link dev.caravan.lab.bench.Scenario} measures one thing. To add one, write a class and list it in
 * {@link dev.caravan.lab.bench.Scenarios}. Each run has a {@link dev.caravan.lab.bench.Ground} of its own, measured programs run in
 * their own processes ({@link dev.caravan.lab.bench.Program}), and {@link dev.caravan.lab.bench.DeliveredRecords} checks in Kafka what
 * they delivered.
 */
package dev.caravan.lab.bench;
