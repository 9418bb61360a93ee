package dev.caravan.engine.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.ApplicationTransaction;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.engine.lane.Start;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NewSubscriptionIT {
    private final TestOutbox outbox = TestOutbox.create();
    private SubscriptionStore store;
    private long now;

    @BeforeEach
    void create() throws Exception {
        store = outbox.store("relay-1", Duration.ofMinutes(5));
        outbox.insert("a");
        rolledBack();
        outbox.insert("a");
    }

    @ParameterizedTest
    @ValueSource(strings = {"latest", "2999-01-01T00:00:00Z"})
    void without_a_writer_it_is_created_at_once_and_earlier_rolled_back_ids_are_no_gaps(String start) {
        assertThat(subscription(start).create()).isTrue();

        assertThat(outbox.saved("orders").position()).isEqualTo(3);
        assertThat(outbox.saved("orders").gaps()).hasToString("{}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"latest", "2999-01-01T00:00:00Z"})
    void it_waits_a_short_time_for_a_writer_and_only_ids_drawn_since_are_gaps(String start) throws Exception {
        NewSubscription subscription = subscription(start);
        ApplicationTransaction writer = outbox.begin();
        writer.insert("b"); // 4
        assertThat(subscription.create()).isFalse();
        ApplicationTransaction later = outbox.begin();
        later.insert("b"); // 5
        outbox.insert("a"); // 6
        assertThat(subscription.create()).isFalse();

        writer.rollback();

        assertThat(subscription.create()).isTrue();
        assertThat(outbox.saved("orders").position()).isEqualTo(6);
        assertThat(outbox.saved("orders").gaps()).hasToString("{[5,6)}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"latest", "2999-01-01T00:00:00Z"})
    void when_a_writer_stays_open_every_missing_id_is_a_gap(String start) throws Exception {
        NewSubscription subscription = subscription(start);
        outbox.begin().insert("b"); // 4
        outbox.insert("a"); // 5
        assertThat(subscription.create()).isFalse();
        now += Duration.ofSeconds(1).toNanos();

        assertThat(subscription.create()).isTrue();

        assertThat(outbox.saved("orders").position()).isEqualTo(5);
        assertThat(outbox.saved("orders").gaps()).hasToString("{[2,3),[4,5)}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"latest", "2999-01-01T00:00:00Z", "earliest", "2"})
    void an_existing_subscription_does_not_wait_and_keeps_its_progress(String start) throws Exception {
        outbox.jdbc().update("insert into outbox_subscription (name, position) values ('orders', 1)");
        outbox.begin().insert("b");

        assertThat(subscription(start).create()).isTrue();

        assertThat(outbox.saved("orders").position()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"latest", "2999-01-01T00:00:00Z", "earliest", "2"})
    void an_existing_subscription_is_found_without_reading_the_outbox(String start) {
        outbox.jdbc().update("insert into outbox_subscription (name, position) values ('orders', 1)");
        outbox.jdbc().execute("alter table outbox rename to cannot_be_read");

        assertThat(subscription(start).create()).isTrue();
    }

    private NewSubscription subscription(String start) {
        return new NewSubscription(store.rows(), Start.parse(start), () -> now);
    }

    private void rolledBack() throws Exception {
        try (ApplicationTransaction failing = outbox.begin()) {
            failing.insert("a");
            failing.rollback();
        }
    }
}
