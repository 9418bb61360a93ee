package dev.caravan.lab.torture;

/**
 * A message that a destination took. Those of one destination are in the order in which it took them.
 *
 * @param sequence the number that the writer gave it within its key
 * @param relay the relay process that sent it
 * @param atMillis when, in milliseconds since 1970
 */
record Arrival(String messageId, String key, long sequence, String relay, long atMillis) {}
