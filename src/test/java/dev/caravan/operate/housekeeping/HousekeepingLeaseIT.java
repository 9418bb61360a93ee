package dev.caravan.operate.housekeeping;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import dev.caravan.base.clock.Clock;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.partition.LastingProblem;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** Instances that share the lease of housekeeping. */
class HousekeepingLeaseIT {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofSeconds(2);

    private final TestOutbox outbox = TestOutbox.create();
    private final AtomicLong time = new AtomicLong();

    @Test
    void one_of_several_instances_has_the_lease_also_after_it_renewed_it() throws Exception {
        HousekeepingLease one = lease("one", LONG);
        HousekeepingLease other = lease("other", LONG);

        assertThat(one.claim()).isTrue();
        assertThat(other.claim()).isFalse();
        assertThat(one.claim()).isTrue();

        assertThat(one.holds()).isTrue();
        assertThat(other.holds()).isFalse();
        assertThat(outbox.text("select relay from outbox_lease where name = 'housekeeping'"))
                .isEqualTo("one");
    }

    /** Two contexts of one process have the same name. */
    @Test
    void two_instances_with_one_name_are_two() throws Exception {
        assertThat(lease("same", LONG).claim()).isTrue();

        assertThat(lease("same", LONG).claim()).isFalse();
    }

    @Test
    void an_instance_that_stops_releases_the_lease_and_only_its_own() throws Exception {
        HousekeepingLease one = lease("one", LONG);
        HousekeepingLease other = lease("other", LONG);
        one.claim();
        other.claim();

        other.release();
        assertThat(other.claim()).isFalse();

        one.release();
        assertThat(one.holds()).isFalse();
        assertThat(other.claim()).isTrue();
    }

    @Test
    void the_lease_of_an_instance_that_crashed_is_taken_when_it_ends() throws Exception {
        lease("crashed", SHORT).claim();
        HousekeepingLease other = lease("other", SHORT);

        eventually(() -> assertThat(other.claim()).isTrue());
    }

    @Test
    void an_instance_that_was_paused_no_longer_has_the_lease_and_does_not_take_it_back() throws Exception {
        HousekeepingLease paused = lease("paused", SHORT);
        HousekeepingLease other = lease("other", SHORT);
        paused.claim();
        eventually(() -> assertThat(other.claim()).isTrue());
        assertThat(paused.holds()).as("before its clock continues").isTrue();

        time.addAndGet(SHORT.toNanos());

        assertThat(paused.holds()).isFalse();
        assertThat(paused.claim()).isFalse();
        paused.release();
        assertThat(other.claim()).isTrue();
    }

    @Test
    void a_lease_from_before_the_clock_of_the_database_was_set_back_is_taken() throws Exception {
        lease("gone", LONG).claim();
        outbox.execute("update outbox_lease set until = clock_timestamp() + interval '1 hour'");

        assertThat(lease("other", LONG).claim()).isTrue();
    }

    @Test
    void an_instance_that_yields_goes_on_until_another_takes_the_lease_and_takes_it_from_none() throws Exception {
        HousekeepingLease one = lease("one", LONG);
        HousekeepingLease other = lease("other", LONG);
        one.claim();
        one.yieldToOthers(true);

        assertThat(one.claim()).isTrue();
        assertThat(one.claim()).isTrue();
        assertThat(one.holds()).isTrue();
        assertThat(other.claim()).isTrue();
        assertThat(one.claim()).isFalse();
        assertThat(one.holds()).isFalse();
        assertThat(other.claim()).isTrue();
    }

    /** Otherwise nobody would prune as long as it runs. */
    @Tag("long")
    @Test
    void an_instance_whose_role_may_not_prune_leaves_the_housekeeping_to_one_whose_role_may() throws Exception {
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, created_at)"
                + " values ('order', '1', 'order.created', now() - interval '8 days')");
        outbox.execute("select setval('outbox_id_seq', 1000000)");
        outbox.execute("insert into outbox_subscription (name, position) values ('email', 1000000)");
        String role = outbox.database() + "_relay";
        outbox.execute("create role " + role + " login password 'x'; grant select on all tables in schema public to "
                + role + "; grant select on outbox_id_seq to " + role + "; grant insert, update on outbox_lease to "
                + role);

        try (Housekeeping weak = housekeeping("weak", outbox.unpooledAs(role, "x"));
                Housekeeping able = housekeeping("able", outbox.dataSource())) {
            weak.start();
            eventually(() -> assertThat(holder()).isEqualTo("weak"));
            able.start();

            eventually(Duration.ofMinutes(3), () -> assertThat(outbox.number("select count(*) from outbox"))
                    .isZero());
            assertThat(holder()).isEqualTo("able");
        }
    }

    /** Messages are delivered as before, so nobody else would say it. */
    @Test
    void a_task_that_always_fails_is_reported_after_five_minutes() throws Exception {
        outbox.execute("alter table outbox_job rename to outbox_job_of_yesterday");
        Clock clock = time::get;
        try (WrittenLog problems = WrittenLog.of(LastingProblem.class);
                Housekeeping housekeeping = housekeeping("one", outbox.dataSource(), clock)) {
            housekeeping.start();

            eventually(() -> {
                time.addAndGet(Duration.ofMinutes(1).toNanos());
                assertThat(problems.lines()).anySatisfy(line -> assertThat(line)
                        .contains("A task of the housekeeping has failed for 5 minutes", "outbox_job"));
            });
        }
    }

    private Housekeeping housekeeping(String relay, DataSource dataSource) {
        return housekeeping(relay, dataSource, Clock.SYSTEM);
    }

    private static Housekeeping housekeeping(String relay, DataSource dataSource, Clock clock) {
        return new Housekeeping(
                dataSource, HousekeepingSettings.ofOptions(Map.of()), new RecentSamples(), relay, clock);
    }

    private String holder() {
        return outbox.text("select relay from outbox_lease");
    }

    /** An update of the row would be a write per instance and ten seconds. */
    @Test
    void an_instance_without_the_lease_writes_nothing() throws Exception {
        lease("one", LONG).claim();
        String row = outbox.text("select ctid || ' ' || xmax from outbox_lease");

        lease("other", LONG).claim();

        assertThat(outbox.text("select ctid || ' ' || xmax from outbox_lease")).isEqualTo(row);
    }

    private HousekeepingLease lease(String relay, Duration duration) {
        Clock clock = time::get;
        return new HousekeepingLease(outbox.dataSource(), relay, duration, clock);
    }

    /** Postgres takes the lock before it checks rights: a role with usage on the schema can hold up each insert and each read. */
    @Test
    void the_sessions_behind_which_all_wait_are_named_once() throws Exception {
        String role = outbox.roleWithGrants();
        DataSource ofRole = outbox.unpooledAs(role, TestOutbox.PASSWORD_OF_ROLES);
        try (WrittenLog log = WrittenLog.of(Housekeeping.class);
                var housekeeping = housekeeping("a", outbox.dataSource());
                var holder = ofRole.getConnection();
                var second = ofRole.getConnection()) {
            holder.setAutoCommit(false);
            holder.createStatement().execute("prepare p as select id from outbox");
            housekeeping.nameHolders();
            assertThat(log.lines()).isEmpty();

            Thread waiting = new Thread(() -> {
                try (var statement = second.createStatement()) {
                    statement.execute("create rule r as on insert to outbox do nothing");
                } catch (SQLException e) {
                    // it may not
                }
            });
            waiting.start();
            eventually(() -> {
                housekeeping.nameHolders();
                assertThat(log.lines()).isNotEmpty();
            });
            housekeeping.nameHolders();

            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith(
                            "Inserts into the outbox, reads of it and saves of relays wait for a lock, behind session ")
                    .contains("user " + role)
                    .endsWith("end it: select pg_terminate_backend("
                            + holder.unwrap(PGConnection.class).getBackendPID() + ")");
            holder.rollback();
            waiting.join();
        }
    }
}
