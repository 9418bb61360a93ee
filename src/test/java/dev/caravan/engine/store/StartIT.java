package dev.caravan.engine.store;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.ApplicationTransaction;
import dev.caravan.camel.outbox.TestDestination;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.camel.outbox.TestRelay;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StartIT {
    private final TestDestination destination = new TestDestination();
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void a_new_subscription_starts_with_the_earliest_message() throws Exception {
        long first = outbox.insert("a");
        long second = outbox.insert("a");

        deliversExactly("orders", first, second);
    }

    @Test
    void latest_delivers_messages_committed_from_now_on_even_with_an_earlier_id() throws Exception {
        outbox.insert("a");
        ApplicationTransaction open = outbox.begin();
        long early = open.insert("b");
        outbox.insert("c");
        try (var relay = TestRelay.start(outbox, "orders?start=latest", destination)) {
            eventually(() -> assertThat(outbox.saved("orders").owner()).isNotNull());
            long late = outbox.insert("d");
            eventually(() -> assertThat(destination.ids()).containsExactly(late));

            open.commit();

            eventually(() -> assertThat(destination.ids()).containsExactly(late, early));
        }
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"latest", "2999-01-01T00:00:00Z"})
    void messages_committed_from_now_on_are_delivered_however_many_follow(String start) throws Exception {
        ApplicationTransaction open = outbox.begin();
        long early = open.insert("b");
        outbox.insertMany(12_000, 100);

        try (var relay = TestRelay.start(outbox, "orders?start=" + start, destination)) {
            eventually(() -> assertThat(outbox.saved("orders").owner()).isNotNull());
            open.commit();
            eventually(() -> assertThat(destination.ids()).containsExactly(early));
            eventually(() -> assertThat(outbox.passed("orders", 12_001)).isTrue());
        }
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"latest, 0", "2999-01-01T00:00:00Z, 1"})
    void the_first_message_committed_from_now_on_is_delivered(String start, int before) throws Exception {
        outbox.insertMany(before, 1);
        try (var relay = TestRelay.start(outbox, "orders?start=" + start, destination)) {
            eventually(() -> assertThat(outbox.saved("orders").owner()).isNotNull());
            long first = outbox.insert("a");
            eventually(() -> assertThat(destination.ids()).containsExactly(first));
        }
    }

    /** No subscription can start before it, so the new one could not be created. */
    @ParameterizedTest
    @ValueSource(strings = {"latest", "2026-01-01T00:00:00Z", "5"})
    void a_negative_id_that_somebody_has_chosen_prevents_no_start(String start) throws Exception {
        outbox.execute("insert into outbox (id, aggregate_type, aggregate_id, type) overriding system value"
                + " values (-5, 'order', 'a', 'order.created')");
        try (var relay = TestRelay.start(outbox, "orders?start=" + start, destination)) {
            eventually(() -> assertThat(outbox.saved("orders").owner()).isNotNull());
            long first = outbox.insert("a");
            eventually(() -> assertThat(destination.ids()).containsExactly(first));
        }
    }

    @Test
    void an_id_is_the_first_one_delivered() throws Exception {
        outbox.insert("a");
        long second = outbox.insert("a");
        long third = outbox.insert("a");

        deliversExactly("orders?start=" + second, second, third);
    }

    @Test
    void a_time_delivers_messages_written_at_or_after_it() throws Exception {
        written("2026-01-01T09:59:59Z");
        long second = written("2026-01-01T10:00:00Z");
        long third = written("2026-01-01T10:00:01Z");

        deliversExactly("orders?start=2026-01-01T10:00:00Z", second, third);
    }

    @Test
    void a_time_delivers_messages_written_after_it_that_commit_after_the_subscription() throws Exception {
        written("2026-01-01T09:00:00Z");
        ApplicationTransaction open = outbox.begin();
        long early = open.insert("b");
        long late = outbox.insert("c");
        try (var relay = TestRelay.start(outbox, "orders?start=2026-01-01T10:00:00Z", destination)) {
            eventually(() -> assertThat(destination.ids()).containsExactly(late));

            open.commit();

            eventually(() -> assertThat(destination.ids()).containsExactly(late, early));
        }
    }

    @Test
    void an_existing_subscription_keeps_its_position() throws Exception {
        long first = outbox.insert("a");
        deliversExactly("orders?start=latest"); // takes nothing of what was there
        long second = outbox.insert("a");

        deliversExactly("orders?start=earliest", second);

        assertThat(first).isLessThan(second);
    }

    private long written(String time) {
        return outbox.jdbc()
                .queryForObject(
                        "insert into outbox (aggregate_type, aggregate_id, type, created_at)"
                                + " values ('order', 'a', 'order.created', ?::timestamptz) returning id",
                        Long.class,
                        time);
    }

    /** Runs a relay until it has saved that everything is delivered. */
    private void deliversExactly(String uri, Long... ids) throws Exception {
        long last = outbox.jdbc().queryForObject("select max(id) from outbox", Long.class);
        try (var relay = TestRelay.start(outbox, uri, destination)) {
            eventually(() -> assertThat(outbox.jdbc()
                            .queryForObject(
                                    "select count(*) from outbox_subscription"
                                            + " where position = ? and isempty(gaps) and older_gaps is null",
                                    Long.class,
                                    last))
                    .isEqualTo(1));
        }
        assertThat(destination.ids()).containsExactly(ids);
    }
}
