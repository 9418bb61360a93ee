package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.engine.loop.WakeUpConnection;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** NOTIFY would make PREPARE TRANSACTION fail, so no notifications are sent where transactions can be prepared. */
class PreparedTransactionsIT {
    private final TestOutbox outbox = TestOutbox.create();

    @BeforeEach
    void create() throws Exception {
        outbox.execute("alter table outbox enable trigger outbox_wake_up");
    }

    @Test
    void a_relay_does_not_announce_that_it_sleeps() throws Exception {
        try (WakeUpConnection connection = new WakeUpConnection(outbox.dataSource())) {
            assertThat(connection.announce()).isFalse();
        }
        assertThat(outbox.holds("select is_called from outbox_sleeper")).isFalse();
    }

    @Test
    void an_announcement_left_over_from_before_does_not_keep_a_transaction_from_being_prepared() throws Exception {
        outbox.execute("select setval('outbox_sleeper', 9000000000000000)");
        try (var writer = outbox.begin()) {
            writer.insert("a");
            writer.run("prepare transaction 'with-an-insert'");
        }
        outbox.execute("commit prepared 'with-an-insert'");

        assertThat(outbox.number("select count(*) from outbox")).isEqualTo(1);
    }
}
