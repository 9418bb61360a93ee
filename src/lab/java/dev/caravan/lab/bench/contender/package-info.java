/** The programs that are measured: Caravan with its routes, a raw loop as the limit, and a naive route. */
package dev.caravan.lab.bench.contender;
