package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.camel.guard.Fault;
import dev.caravan.engine.schedule.Outcome;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class AttemptResultTest {
    /** The log, the state of the destination and the health of a relay have it, which need no right to see payloads. */
    @Test
    void a_reason_has_nothing_of_the_payload_and_the_headers() {
        Message message = new Message(
                1,
                UUID.randomUUID(),
                new Key("order", "1"),
                "order.created",
                "{\"customer\": \"Anna Maria Schmidt\"}",
                "{\"iban\": \"in the payload\"}",
                null,
                Instant.EPOCH);
        SQLException refused =
                new SQLException("no permission for Anna Maria Schmidt: {\"iban\": \"in the payload\"}", "42501");

        var failure = AttemptResult.of(
                        new Fault(Outcome.UNAVAILABLE, refused, "sql:a", null, List.of(), false), message, false)
                .failure();

        assertThat(failure.reason())
                .startsWith("SQLException (no permission for •••")
                .doesNotContain("Anna", "4915");
    }
}
