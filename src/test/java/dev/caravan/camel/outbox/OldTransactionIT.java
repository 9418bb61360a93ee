package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.base.clock.Clock;
import dev.caravan.database.Sql;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.lane.Save;
import dev.caravan.engine.lane.Start;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.ProgressToSave;
import dev.caravan.engine.store.Histories;
import dev.caravan.engine.store.Horizon;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.SubscriptionStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** A forgotten open transaction prevents Postgres from removing old row versions. */
class OldTransactionIT {
    private static final long SECOND = 1_000_000_000L;
    private static final int SUBSCRIPTIONS = 10;

    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void its_age_is_the_time_since_the_first_sample_that_it_is_older_than() {
        Horizon horizon = new Horizon(Horizon.INTERVAL, Clock.SYSTEM);

        horizon.add(100, Optional.of("busy"), 1, 0);
        horizon.add(200, Optional.of("forgotten"), 50, 5 * SECOND);
        assertThat(horizon.age()).isZero();
        horizon.add(300, Optional.of("forgotten"), 150, 10 * SECOND);
        assertThat(horizon.age()).isEqualTo(Duration.ofSeconds(5));
        horizon.add(400, Optional.of("forgotten"), 250, 70 * SECOND);
        assertThat(horizon.age()).isEqualTo(Duration.ofSeconds(65));
        horizon.add(500, Optional.of("busy"), 3, 75 * SECOND);
        assertThat(horizon.age()).isZero();
        horizon.add(500, Optional.empty(), 0, 80 * SECOND);
        assertThat(horizon.age()).isZero();
    }

    @Test
    void on_a_server_without_writes_the_age_is_zero() {
        Horizon horizon = new Horizon(Horizon.INTERVAL, Clock.SYSTEM);
        for (int second = 0; second < 100; second += 5) {
            horizon.add(100, Optional.of("reads"), 0, second * SECOND);
        }
        assertThat(horizon.age()).isZero();
    }

    @Test
    void every_role_can_read_the_session_that_holds_it() throws Exception {
        try (HikariDataSource pool = outbox.poolOfRoleWithGrants();
                ApplicationTransaction forgotten = outbox.begin()) {
            forgotten.run("set application_name = 'psql of anna'");
            forgotten.insert("a");
            outbox.insert("b");
            List<String> holders = new ArrayList<>();
            List<Long> behind = new ArrayList<>();

            Sql.file("engine/horizon").query(pool, row -> holders.add(row.getString(2)) && behind.add(row.getLong(3)));

            assertThat(holders).singleElement().asString().contains("psql of anna");
            assertThat(behind.get(0)).isPositive();
        }
    }

    @Test
    void while_it_is_open_a_relay_saves_less_often_and_delivers_as_fast() throws Exception {
        TestDestination destination = new TestDestination();
        try (ApplicationTransaction forgotten = outbox.begin();
                var relay = TestRelay.start(
                        outbox.pool(),
                        "orders?saveInterval=1ms",
                        destination,
                        component -> component.setHorizonInterval(Duration.ofSeconds(1)))) {
            forgotten.insert("a");
            eventually(Duration.ofSeconds(60), () -> assertThat(savesDuring(destination, 20))
                    .isLessThan(10));
            forgotten.rollback();
            eventually(Duration.ofSeconds(60), () -> assertThat(savesDuring(destination, 20))
                    .isGreaterThan(10));
        }
    }

    /** Each message is written after the one before has arrived. */
    private long savesDuring(TestDestination destination, int messages) throws Exception {
        long before = saves();
        for (int n = 0; n < messages; n++) {
            long id = outbox.insert("b");
            eventually(() -> assertThat(destination.ids()).contains(id));
        }
        return saves() - before;
    }

    private long saves() {
        return outbox.number("select coalesce(max(saves), 0) from outbox_subscription");
    }

    @Test
    void a_replay_looks_up_the_subscription_once_and_not_for_each_message() throws Exception {
        outbox.insertMany(5_000, 100);
        outbox.execute("insert into outbox_subscription (name, position) values ('orders', 5000); analyze");
        List<String> plan = new ArrayList<>();
        outbox.jdbc()
                .query(
                        "explain (analyze, costs off, timing off) "
                                + dev.caravan.database.Sql.file("operate/count_replay")
                                        .text(),
                        row -> {
                            plan.add(row.getString(1));
                        },
                        0L,
                        5_000L,
                        5_000,
                        "orders",
                        new String[] {"%"},
                        new String[] {"%"},
                        null,
                        null,
                        null,
                        java.time.OffsetDateTime.MIN,
                        java.time.OffsetDateTime.MAX,
                        1_000,
                        1_000);

        assertThat(plan)
                .filteredOn(line -> line.contains(" on outbox_subscription"))
                .singleElement()
                .asString()
                .contains("loops=1");
    }

    /** The saves of one hour with such a transaction, see LaneLeaseTest, at once. */
    @Tag("long")
    @Test
    void an_hour_of_saves_leaves_a_small_table() throws Exception {
        outbox.execute("select setval('outbox_id_seq', 2000000)"); // positions that the sequence has given out
        try (ApplicationTransaction forgotten = outbox.begin()) {
            forgotten.insert("a");
            for (int n = 1; n <= SUBSCRIPTIONS; n++) {
                SubscriptionStore store = new SubscriptionStore(
                        new JdbcTemplate(new LaneConnections(outbox.pool(), new Histories())),
                        LaneId.only("a-subscription-" + n),
                        "caravan-7d4b9c6f5-x2x9z",
                        Duration.ofSeconds(10),
                        false,
                        Clock.SYSTEM);
                store.rows().create(Start.parse("earliest"));
                long epoch = store.claim(new String[] {"order.%"}).orElseThrow().epoch();
                for (int save = 1; save <= 825; save++) {
                    store.save(
                            epoch,
                            new Save(
                                    new ProgressToSave(1_000_000 + save, IdRanges.of(1_000, 1_005), null),
                                    List.of(),
                                    save,
                                    ProvenSession.NONE));
                }
            }
            outbox.execute("analyze outbox_subscription");
            long bytes = outbox.number("select pg_total_relation_size('outbox_subscription')");
            assertThat(bytes).isLessThan(2 << 20);
        }
    }
}
