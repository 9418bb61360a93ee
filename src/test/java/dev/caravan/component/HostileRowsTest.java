package dev.caravan.component;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rows that are hard to store must stop nothing but themselves. */
class HostileRowsTest {
    /** Random, so that Postgres cannot compress it into an index entry. */
    private static final String LONG_KEY = new Random(1)
            .ints('a', 'z' + 1)
            .limit(9_600)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();

    private final Destination destination = new Destination();
    private TestOutbox outbox;

    @BeforeEach
    void create() throws Exception {
        outbox = TestOutbox.create();
    }

    @AfterEach
    void close() throws Exception {
        outbox.close();
    }

    @Test
    void a_new_message_whose_key_and_type_are_longer_than_1000_bytes_is_refused() {
        outbox.insert("k".repeat(980 - "order".length() - "order.created".length()));

        assertThatThrownBy(() -> outbox.insert(LONG_KEY)).hasMessageContaining("outbox_key_and_type_are_bounded");
        assertThatThrownBy(() -> outbox.insert("a", "t".repeat(1_000), "{}"))
                .hasMessageContaining("outbox_key_and_type_are_bounded");
    }

    @Test
    void a_key_of_an_older_version_that_is_longer_than_an_index_entry_waits_and_dies_like_any_other() throws Exception {
        outbox.jdbc().execute("alter table outbox drop constraint if exists outbox_key_and_type_are_bounded");
        destination.failIf(arrival -> arrival.key().length() > 1_000);
        try (var relay = TestRelay.start(outbox, "orders?maxAttempts=2&backoff=10&onDead=block", destination)) {
            long bad = outbox.insert(LONG_KEY);
            long behind = outbox.insert(LONG_KEY);
            long good = outbox.insert("good");

            eventually(() -> assertThat(outbox.dead("orders")).containsExactly(bad));
            eventually(() -> assertThat(outbox.waiting("orders"))
                    .extracting(TestOutbox.Waiting::id)
                    .containsExactly(behind));
            eventually(() -> assertThat(destination.ids()).containsExactly(good));
            destination.failIf(arrival -> false);
            new Person(outbox).retryAll();
            eventually(() -> assertThat(destination.ids()).containsExactly(good, bad, behind));
        }
    }
}
