/**
 * The servers of all runs; the database, the topics, the programs and the writers of one run; and the check in Kafka of what it
 * delivered.
 */
package dev.caravan.lab.bench.run;
