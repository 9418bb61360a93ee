package dev.caravan.engine.schedule;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/** Messages and results for tests. */
final class TestMessages {
    static final Failure FAILURE = new Failure("Error", "refused", "", "", "refused", "", true);
    static final Result FAILED = Result.retry(FAILURE);
    static final Result POISON = Result.dead(FAILURE);
    static final Result AWAY = Result.unavailable(FAILURE, Duration.ZERO);

    private TestMessages() {}

    static Message message(long id, String key) {
        return new Message(id, new UUID(0, id), new Key("order", key), "order.created", null, null, Instant.EPOCH);
    }

    static Delivery fresh(long id, String key) {
        return Delivery.fresh(message(id, key));
    }
}
