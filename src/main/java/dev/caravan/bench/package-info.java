/**
 * The benchmark. A {@link dev.caravan.bench.Scenario} measures one thing; to add one, write a class and name it in
 * {@link dev.caravan.bench.Scenarios}. Each run has a {@link dev.caravan.bench.Ground} of its own, programs under measurement are
 * processes of their own ({@link dev.caravan.bench.Program}), and {@link dev.caravan.bench.Arrivals} checks at the broker what
 * they did.
 */
package dev.caravan.bench;
