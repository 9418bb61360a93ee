package dev.caravan.engine.loop;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.PgBouncer;
import dev.caravan.ProxiedConnections;
import dev.caravan.base.clock.Clock;
import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Connections;
import dev.caravan.database.Database;
import dev.caravan.database.Sql;
import dev.caravan.engine.lane.Batch;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneStart;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.lane.RateShare;
import dev.caravan.engine.lane.TestLaneSettings;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.SavedProgress;
import dev.caravan.engine.store.Histories;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** The session of a relay on a real server. */
class SessionOfRelayIT {
    private static final String LOCKS =
            "select count(*) from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock'"
                    + " and database = (select oid from pg_database where datname = current_database())";
    private static final String TERMINATE = "select count(pg_terminate_backend(pid)) from pg_locks"
            + " where locktype = 'advisory' and mode = 'ExclusiveLock'"
            + " and database = (select oid from pg_database where datname = current_database())";

    private final TestOutbox outbox = TestOutbox.create();
    private Presence presence;

    SessionOfRelayIT() throws SQLException {}

    @AfterEach
    void close() throws Exception {
        if (presence != null) {
            presence.stop();
        }
        outbox.close();
    }

    @Test
    void the_session_holds_a_lock_until_the_relay_stops() throws Exception {
        start(Connections.of(outbox.settings(Map.of())).presence());

        eventually(() -> assertThat(presence.get()).isNotSameAs(ProvenSession.NONE));
        assertThat(presence.get().server()).isEqualTo(server());
        assertThat(outbox.number(LOCKS)).isEqualTo(1);
        presence.stop();

        assertThat(presence.get()).isSameAs(ProvenSession.NONE);
        eventually(() -> assertThat(outbox.number(LOCKS)).isZero());
    }

    @Test
    void the_server_accepts_the_settings_that_let_it_notice_a_lost_machine() throws Exception {
        try (var connection = outbox.unpooled().getConnection();
                var session = new PresenceConnection(
                        new SingleConnectionDataSource(connection, true), new Histories(), Clock.SYSTEM, () -> {})) {
            assertThat(session).isNotNull();
            assertThat(Sql.text(
                                    "select current_setting('tcp_keepalives_idle') || ' ' || current_setting('tcp_user_timeout')")
                            .first(connection, row -> row.getString(1)))
                    .contains("1 4000");
        }
    }

    @Test
    void a_session_that_ends_is_replaced_by_one_with_another_key_and_the_lanes_are_notified_twice() throws Exception {
        AtomicInteger changes = new AtomicInteger();
        presence = new Presence(outbox.unpooled(), new Histories(), Clock.SYSTEM);
        presence.listen(changes::incrementAndGet);
        presence.start();
        eventually(() -> assertThat(changes).hasValue(1));
        Long first = presence.get().key();

        assertThat(outbox.number(TERMINATE)).isEqualTo(1);

        eventually(() -> assertThat(changes).hasValue(3)); // none, and the new one
        assertThat(presence.get().key()).isNotNull().isNotEqualTo(first);
        eventually(() -> assertThat(outbox.number(LOCKS)).isEqualTo(1));
    }

    @Test
    void the_session_is_proven_once_a_second_while_nothing_is_delivered_and_at_once_for_a_message() throws Exception {
        AtomicLong now = new AtomicLong(1);
        Proofs proofs = new Proofs();
        presence = new Presence(proofs, new Histories(), now::get);
        presence.start();
        eventuallyPresent();
        Lane lane = lane(now::get);
        int before = proofs.count.get();
        now.addAndGet(Duration.ofSeconds(2).toNanos());
        eventually(() -> assertThat(proofs.count).hasValueGreaterThan(before));
        presence.join(lane);
        eventually(() -> assertThat(proofs.count).hasValueGreaterThan(before + 1));
        lane.received(new Batch(lane.nextRead(), List.of(message()), 1, Set.of()), Set.of());

        presence.get().ended(now.get()); // and no interval passes

        eventually(() -> assertThat(lane.nextNow()).isNotNull());
    }

    /** Counts the proofs. */
    private final class Proofs extends ProxiedConnections {
        private final AtomicInteger count = new AtomicInteger();

        Proofs() {
            super(outbox.unpooled());
        }

        @Override
        protected Object on(Call call) throws Exception {
            Object answer = call.proceed();
            if (call.isExecution() && "select pg_backend_pid()".equals(call.text())) {
                count.incrementAndGet();
            }
            return answer;
        }
    }

    private Lane lane(Clock clock) {
        return new Lane(
                new LaneStart(1, Long.MAX_VALUE, new SavedProgress(0, new IdRanges()), 0, presence.get()),
                TestLaneSettings.of(changed -> {}),
                new LaneCounters(clock),
                clock,
                presence,
                RateShare.UNLIMITED);
    }

    private static Message message() {
        return new Message(1, new UUID(0, 1), new Key("order", "a"), "created", null, null, Instant.EPOCH);
    }

    @Tag("long")
    @Test
    void a_relay_that_loses_ten_sessions_in_a_minute_works_without_one() throws Exception {
        start(outbox.unpooled());
        for (int loss = 0; loss < LossLimit.LOSSES; loss++) {
            Long before = eventuallyPresent();
            assertThat(outbox.number(TERMINATE)).isEqualTo(1);
            eventually(() -> assertThat(presence.get().key()).isNotEqualTo(before));
        }

        eventually(() -> assertThat(presence.isDisabled()).isTrue());
        assertThat(presence.get()).isSameAs(ProvenSession.NONE);
        assertThat(outbox.number(LOCKS)).isZero();
    }

    @Test
    void without_a_connection_there_is_no_presence_until_one_can_be_opened() throws Exception {
        outbox.refuseConnections();
        start(outbox.unpooled());
        eventually(() -> assertThat(presence.problem()).isNotEmpty());
        assertThat(presence.get()).isSameAs(ProvenSession.NONE);

        outbox.acceptConnections();

        eventually(() -> assertThat(presence.get()).isNotSameAs(ProvenSession.NONE));
        assertThat(presence.problem()).isEmpty();
    }

    @Test
    void behind_a_pooler_that_shares_sessions_there_is_no_presence() throws Exception {
        try (PgBouncer pooler = PgBouncer.start("transaction")) {
            start(Database.unpooled(pooler.url(outbox.database()), "postgres", ""));

            eventually(() -> assertThat(presence.isDisabled()).isTrue());
            assertThat(presence.get()).isSameAs(ProvenSession.NONE);
            assertThat(outbox.number(LOCKS)).isZero();
        }
    }

    @Tag("long")
    @Test
    void behind_a_pooler_that_lends_a_session_to_one_client_presence_ends_with_the_client() throws Exception {
        try (PgBouncer pooler = PgBouncer.start("session")) {
            start(Database.unpooled(pooler.url(outbox.database()), "postgres", ""));
            eventuallyPresent();
            assertThat(outbox.number(LOCKS)).isEqualTo(1);

            presence.stop();

            eventually(() -> assertThat(outbox.number(LOCKS)).isZero());
        }
    }

    private void start(DataSource source) {
        presence = new Presence(source, new Histories(), Clock.SYSTEM);
        presence.start();
    }

    private Long eventuallyPresent() throws Exception {
        eventually(() -> assertThat(presence.get().key()).isNotNull());
        return presence.get().key();
    }

    private long server() throws SQLException {
        try (var connection = outbox.unpooled().getConnection()) {
            return new Histories().of(connection).number();
        }
    }
}
