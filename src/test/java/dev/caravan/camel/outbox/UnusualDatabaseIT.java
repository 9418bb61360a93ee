package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.PgBouncer;
import dev.caravan.WrittenLog;
import dev.caravan.database.Connections;
import dev.caravan.engine.loop.LaneFailures;
import dev.caravan.engine.loop.WakeUpConnection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** More columns, row-level security, a pooler, and prepared transactions. */
class UnusualDatabaseIT {
    /** Of columns that an application adds. */
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
    private final TestOutbox outbox = TestOutbox.create();
    private final Person person = new Person(outbox);

    /** Under names that the statements of the relay use for something else. */
    private void addColumns() {
        NAMES.forEach(name -> {
            addColumn("outbox", name);
            addColumn("outbox_retry", name);
            addColumn("outbox_dead_letter", name);
        });
        NAMES_OF_OTHER_TABLES.forEach(name -> addColumn("outbox", name));
    }

    private void addColumn(String table, String name) {
        outbox.execute("alter table " + table + " add column \"" + name + "\" text default 'of the application'");
    }

    @Tag("long")
    @Test
    void messages_with_more_columns_are_read_by_an_only_lane_and_by_one_of_several() throws Exception {
        addColumns();
        outbox.insertMany(20, 5);
        try (TestRelay one = TestRelay.start(outbox, "orders", destination);
                TestRelay several = TestRelay.start(outbox, "others?lanes=2", destination)) {
            eventually(() -> assertThat(destination.ids()).hasSize(40));
        }
    }

    @Test
    void messages_with_more_columns_fail_follow_die_are_retried_and_are_replayed() throws Exception {
        addColumns();
        AtomicBoolean broken = new AtomicBoolean(true);
        destination.failIf(arrival -> broken.get());
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

    @Test
    void a_message_that_row_level_security_hides_is_not_taken_for_one_that_was_rolled_back() throws Exception {
        try (var pool = outbox.poolOfRoleWithGrants();
                WrittenLog log = WrittenLog.of(LaneFailures.class);
                TestRelay relay = TestRelay.start(pool, "orders", destination)) {
            outbox.insert("a");
            outbox.awaitPassed("orders", 1);

            outbox.execute("alter table outbox enable row level security");
            outbox.execute("create policy only_a on outbox using (aggregate_id = 'a')");
            outbox.insert("b");
            outbox.insert("a");
            eventually(() ->
                    assertThat(log.lines()).anyMatch(line -> line.contains("Could not work subscription orders")));
            outbox.execute("alter table outbox disable row level security");

            eventually(() -> assertThat(destination.ids()).containsExactlyInAnyOrder(1L, 2L, 3L));
        }
    }

    @Test
    void a_relay_works_through_a_pool_per_session() throws Exception {
        try (PgBouncer pooler = PgBouncer.start("session");
                HikariDataSource pool = Connections.of(
                                outbox.settings(Map.of("caravan.db.url", pooler.url(outbox.database()))))
                        .outboxPool();
                var relay = TestRelay.start(pool, "orders?lanes=2", destination)) {
            for (int i = 1; i <= 30; i++) { // more than it takes for prepared statements
                outbox.insertMany(10, 5);
                int expected = 10 * i;
                eventually(() -> assertThat(destination.ids()).hasSize(expected));
            }
        }
    }

    /** NOTIFY would make PREPARE TRANSACTION fail. */
    @Test
    void where_transactions_can_be_prepared_a_relay_does_not_announce_that_it_sleeps() throws Exception {
        outbox.execute("alter table outbox enable trigger outbox_wake_up");
        try (WakeUpConnection connection = new WakeUpConnection(outbox.dataSource())) {
            assertThat(connection.announce()).isFalse();
        }
        assertThat(outbox.holds("select is_called from outbox_sleeper")).isFalse();
    }

    @Test
    void an_announcement_left_over_from_before_does_not_keep_a_transaction_from_being_prepared() throws Exception {
        outbox.execute("alter table outbox enable trigger outbox_wake_up");
        outbox.execute("select setval('outbox_sleeper', 9000000000000000)");
        try (var writer = outbox.begin()) {
            writer.insert("a");
            writer.run("prepare transaction 'with-an-insert'");
        }
        outbox.execute("commit prepared 'with-an-insert'");

        assertThat(outbox.number("select count(*) from outbox")).isEqualTo(1);
    }
}
