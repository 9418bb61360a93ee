/**
 * The benchmark. A {@link dev.caravan.lab.bench.Scenario} measures one thing; to add one, write a class and name it in
 * {@link dev.caravan.lab.bench.Scenarios}. Each run has a {@link dev.caravan.lab.bench.Ground} of its own, programs under measurement are
 * processes of their own ({@link dev.caravan.lab.bench.Program}), and {@link dev.caravan.lab.bench.DeliveredRecords} checks at the broker what
 * they did.
 */
package dev.caravan.lab.bench;
