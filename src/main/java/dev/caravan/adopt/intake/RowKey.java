package dev.caravan.adopt.intake;

import java.util.List;

/**
 * The key of a row in the source, as the driver returned it: strings, numbers, byte arrays and UUIDs. It can be stored as JSON and be bound again by
 * another relay.
 *
 * @param values one for each column of the key, none null
 */
record RowKey(List<Object> values) {}
