/** Measured values, goals and charts. */
package dev.caravan.lab.bench.figure;
