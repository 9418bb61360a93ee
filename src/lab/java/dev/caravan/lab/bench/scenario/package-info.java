/** What a scenario is, and the scenarios in which nothing fails. */
package dev.caravan.lab.bench.scenario;
