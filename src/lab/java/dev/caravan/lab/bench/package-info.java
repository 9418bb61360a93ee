/**
 * The benchmark: its command, and the run of its scenarios. A {@link dev.caravan.lab.bench.scenario.Scenario} measures one thing.
 * To add one, write a class in {@code scenario} or {@code failure} and list it in {@link dev.caravan.lab.bench.Scenarios}.
 */
package dev.caravan.lab.bench;
