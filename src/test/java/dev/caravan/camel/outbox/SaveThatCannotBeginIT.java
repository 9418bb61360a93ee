package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A save of failures is a transaction. When it cannot even begin, what it was to write must be part of the next save. */
@Tag("long")
class SaveThatCannotBeginIT {
    @Test
    void a_message_to_retry_is_not_lost_when_the_connection_ends_just_before_it_is_stored() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            TestDestination destination = new TestDestination();
            destination.failIf(arrival -> arrival.attempt() == 1);
            FailingSaves saves = new FailingSaves(outbox.pool(), FailingSaves.Point.BEGIN);
            saves.fail(2);
            try (var relay = TestRelay.start(saves, "orders?backoff=10ms", destination)) {
                long id = outbox.insert("a");

                eventually(() -> assertThat(destination.ids()).containsExactly(id));
                assertThat(saves.reached()).isGreaterThan(2);
            }
        }
    }
}
