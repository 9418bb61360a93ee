package dev.caravan.lab.torture.receiver;

/**
 * A message that a destination accepted. The arrivals of one destination are in the order of acceptance.
 *
 * @param sequence the number of the message within its key
 * @param relay the relay process that sent it
 * @param atMillis time of acceptance, in milliseconds since 1970
 */
public record Arrival(String messageId, String key, long sequence, String relay, long atMillis) {}
