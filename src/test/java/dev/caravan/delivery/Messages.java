package dev.caravan.delivery;

import java.time.Instant;
import java.util.UUID;

/** Messages for tests. */
final class Messages {
    private Messages() {}

    static Message message(long id, String key) {
        return new Message(id, new UUID(0, id), new Key("order", key), "order.created", null, null, Instant.EPOCH);
    }
}
