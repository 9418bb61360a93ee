package dev.caravan.bench;

/**
 * What one contender did in one round, measured at the broker.
 *
 * @param rate messages a second between the first and the last record
 * @param warmRate the same without the first fifth
 * @param walPerMessage bytes of write-ahead log of the whole database per message, the contender being the only writer
 */
record Round(double rate, double warmRate, double walPerMessage) {}
