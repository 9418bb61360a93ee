package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An application adds columns to the tables, under names that the statements of the relay use for something else. */
class MoreColumnsIT {
    private static final List<String> NAMES = List.of(
            "bytes",
            "place",
            "candidates",
            "selected",
            "ids",
            "gap",
            "found",
            "visible",
            "key",
            "message",
            "filter",
            "name",
            "page",
            "failing_for",
            "following");
    /** Of these {@code outbox_retry} and {@code outbox_dead_letter} have some of their own. */
    private static final List<String> NAMES_OF_OTHER_TABLES =
            List.of("subscription", "lane", "blocked", "attempts", "position", "gaps", "edited", "next_attempt_at");

    private final TestDestination destination = new TestDestination();
    private final AtomicBoolean broken = new AtomicBoolean();
    private final TestOutbox outbox = TestOutbox.create();
    private final Person person = new Person(outbox);

    @BeforeEach
    void addColumns() throws Exception {
        NAMES.forEach(name -> {
            addColumn("outbox", name);
            addColumn("outbox_retry", name);
            addColumn("outbox_dead_letter", name);
        });
        NAMES_OF_OTHER_TABLES.forEach(name -> addColumn("outbox", name));
        destination.failIf(arrival -> broken.get());
    }

    private void addColumn(String table, String name) {
        outbox.execute("alter table " + table + " add column \"" + name + "\" text default 'of the application'");
    }

    @Tag("long")
    @Test
    void messages_are_read_by_an_only_lane_and_by_one_of_several() throws Exception {
        outbox.insertMany(20, 5);
        try (TestRelay one = TestRelay.start(outbox, "orders", destination);
                TestRelay several = TestRelay.start(outbox, "others?lanes=2", destination)) {
            eventually(() -> assertThat(destination.ids()).hasSize(40));
        }
    }

    @Test
    void messages_fail_follow_die_are_retried_and_are_replayed() throws Exception {
        broken.set(true);
        outbox.insertMany(6, 2);
        try (TestRelay relay =
                TestRelay.start(outbox, "orders?backoff=1ms&maxBackoff=1ms&maxAttempts=2", destination)) {
            eventually(() -> assertThat(outbox.dead("orders")).hasSize(6));

            broken.set(false);
            assertThat(person.retryAll()).isEqualTo(6);

            eventually(() -> assertThat(destination.ids()).hasSize(6));
            eventually(() -> assertThat(outbox.waiting("orders")).isEmpty()); // a replay leaves out what waits
            assertThat(person.replayFrom("orders", 1)).isEqualTo(6);
            eventually(() -> assertThat(destination.ids()).hasSize(12));
        }
    }
}
