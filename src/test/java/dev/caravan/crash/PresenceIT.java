package dev.caravan.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.database.Sql;
import dev.caravan.lab.servers.Await;
import dev.caravan.lab.servers.RelayProcess;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.dao.DataAccessException;

/** The presence of a relay. The lease is long, so that in these tests no takeover is caused by the end of a lease. */
class PresenceIT {
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final Duration LIMIT = Duration.ofSeconds(180);
    /** As many losses in a minute end the presence. */
    private static final int LOSSES = 10;

    @Test
    void a_standby_takes_over_from_a_killed_relay_before_the_lease_ends(@TempDir Path routes) throws Exception {
        try (var stage = new Stage(routes, Route.toKafka(), LEASE)) {
            List<RelayProcess> relays = stage.startWorkerAndStandby("present", "standby");
            try (var writers = stage.startSlowWriters(100, 1)) {
                stage.received().awaitSentBy(relays.get(0), 100);

                relays.get(0).kill();
                Duration takeover = Await.until(
                        "the standby delivers", LIMIT, () -> stage.received().sentBy("standby") > 0);

                writers.stop();
                DeliveryCheck comparison = stage.awaitComplete();
                assertThat(stage.epoch()).isEqualTo(2);
                System.out.printf(
                        "Killed relay: first delivery of the standby after %d ms, %d repeats%n",
                        takeover.toMillis(), comparison.repeats());
            }
        }
    }

    @Tag("long")
    @Test
    void the_lanes_of_a_killed_relay_are_divided_among_the_others_before_its_lease_ends(@TempDir Path routes)
            throws Exception {
        try (var stage = new Stage(routes, Route.toKafka().withLanes(6), LEASE)) {
            RelayProcess first = stage.startRelay("lanes-a");
            stage.startRelay("lanes-b");
            stage.startRelay("lanes-c");
            try (var writers = stage.startSlowWriters(500, 5)) {
                Await.until("each relay owns two lanes", LIMIT, () -> stage.owners(2) == 3);
                stage.received().awaitSentBy(first, 100);
                String before = stage.outbox()
                        .text("select string_agg(lane || ':' || delivered, ',') from outbox_subscription"
                                + " where owner = 'lanes-a'");

                first.kill();
                for (String lane : before.split(",")) {
                    String[] delivered = lane.split(":");
                    Duration takeover = Await.until(
                            "lane " + lane + " is delivered again",
                            LIMIT,
                            () -> stage.outbox()
                                            .number(
                                                    "select count(*) from outbox_subscription where owner <> 'lanes-a' and lane = "
                                                            + delivered[0] + " and delivered > " + delivered[1])
                                    == 1);
                    System.out.printf(
                            "Killed relay of three: lane %s continues after at least %d ms%n",
                            delivered[0], takeover.toMillis());
                }
                Await.until("each of the others owns three lanes", LIMIT, () -> stage.owners(3) == 2);

                writers.stop();
                stage.awaitComplete();
            }
        }
    }

    @Tag("long")
    @Test
    void a_relay_whose_sessions_are_ended_keeps_its_lane_and_at_last_does_without_them(@TempDir Path routes)
            throws Exception {
        try (var stage = new Stage(routes, Route.toKafka(), LEASE)) {
            RelayProcess owner =
                    stage.startWorkerAndStandby("present", "standby").get(0);
            try (var writers = stage.startSlowWriters(100, 2)) {
                for (int loss = 0; loss < LOSSES; loss++) {
                    stage.received().awaitSentBy(owner, stage.received().sentBy("present") + 50);
                    long ended = awaitPresence(stage);

                    endSession(stage, ended);

                    Await.until("the row names another session", LIMIT, () -> presence(stage) != ended);
                }
                owner.awaitLog("works without presence", 1);
                Await.until("the row names no session", LIMIT, () -> presence(stage) == 0);
                stage.received().awaitSentBy(owner, stage.received().sentBy("present") + 50);

                writers.stop();
                DeliveryCheck comparison = stage.awaitComplete();
                assertThat(stage.epoch()).as("takeovers, and the first claim").isEqualTo(1);
                assertThat(stage.received().sentBy("standby")).isZero();
                assertThat(comparison.repeats()).isZero();
            }
        }
    }

    @Tag("long")
    @Test
    void a_frozen_relay_keeps_its_lane_until_the_lease_ends(@TempDir Path routes) throws Exception {
        try (var stage = new Stage(routes, Route.toKafka(), Duration.ofSeconds(10))) {
            RelayProcess owner =
                    stage.startWorkerAndStandby("present", "standby").get(0);
            try (var writers = stage.startSlowWriters(100, 3)) {
                stage.received().awaitSentBy(owner, 100);

                owner.freeze();
                Await.until(
                        "half of the lease has passed",
                        LIMIT,
                        () -> stage.outbox()
                                        .number("select count(*) from outbox_subscription"
                                                + " where lease_until < clock_timestamp() + interval '5 s'")
                                == 1);
                owner.thaw();
                stage.received().awaitSentBy(owner, stage.received().sentBy("present") + 100);

                writers.stop();
                DeliveryCheck comparison = stage.awaitComplete();
                assertThat(stage.epoch()).as("takeovers, and the first claim").isEqualTo(1);
                assertThat(comparison.repeats()).isZero();
            }
        }
    }

    @Tag("long")
    @Test
    void two_relays_never_own_a_lane_when_a_process_of_the_server_is_killed(@TempDir Path routes) throws Exception {
        try (var stage = new Stage(routes, Route.toKafka().withLanes(2), LEASE)) {
            // The server of the tests would lose the last commits.
            stage.outbox().execute("alter database " + stage.outbox().database() + " set synchronous_commit = on");
            stage.startRelay("present-1").awaitStarted();
            stage.startRelay("present-2").awaitStarted();
            try (var writers = stage.startWriters(4_000, 100, 4)) {
                writers.awaitEnd(LIMIT);
            }
            awaitPresence(stage);

            killServerProcess(stage); // all sessions end, and the relays continue
            Await.until("the server accepts connections", LIMIT, () -> writeMore(stage));

            DeliveryCheck comparison = stage.awaitComplete();
            System.out.printf("Killed server process: %d repeats%n", comparison.repeats());
        }
    }

    private static long presence(Stage stage) throws SQLException {
        return stage.outbox().number("select coalesce(max(presence), 0) from outbox_subscription");
    }

    private static long awaitPresence(Stage stage) throws Exception {
        Await.until("the row names a session", LIMIT, () -> presence(stage) != 0);
        return presence(stage);
    }

    private static void endSession(Stage stage, long key) throws SQLException {
        stage.outbox()
                .execute("select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'"
                        + " and mode = 'ExclusiveLock' and (classid::bigint << 32) + objid::bigint = " + key);
    }

    private static void killServerProcess(Stage stage) throws SQLException {
        try (var connection = stage.outbox().unpooled().getConnection()) {
            long process = Sql.number(connection, "select pg_backend_pid()");
            ProcessHandle.of(process).orElseThrow().destroyForcibly();
        }
    }

    private static boolean writeMore(Stage stage) {
        try {
            stage.outbox()
                    .execute("insert into outbox (aggregate_type, aggregate_id, type, payload)"
                            + " select 'account', 'later' || n, 'account.changed', json_build_object('sequence', 1)"
                            + " from generate_series(1, 2000) n");
            return true;
        } catch (DataAccessException e) {
            return false;
        }
    }
}
