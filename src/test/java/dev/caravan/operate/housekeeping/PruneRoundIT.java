package dev.caravan.operate.housekeeping;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.caravan.WrittenLog;
import dev.caravan.base.clock.Clock;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.operate.partition.LastingProblem;
import dev.caravan.operate.partition.Retention;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.slf4j.LoggerFactory;

class PruneRoundIT {
    private static final Retention WEEK = Retention.of(Duration.ofDays(7));

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final TestOutbox database = TestOutbox.create();

    @BeforeEach
    void oldPartition() throws SQLException {
        log.start();
        ((Logger) LoggerFactory.getLogger(PruneRound.class)).addAppender(log);
        database.execute("insert into outbox (aggregate_type, aggregate_id, type, created_at)"
                + " values ('order', '1', 'order.created', now() - interval '8 days')");
        database.execute("select setval('outbox_id_seq', 1000000)");
        database.execute("insert into outbox_subscription (name, position) values ('email', 1000000), ('sms', 0)");
    }

    @AfterEach
    void stopListening() {
        ((Logger) LoggerFactory.getLogger(PruneRound.class)).detachAppender(log);
    }

    @Test
    void who_holds_back_pruning_is_reported_once_per_change() throws Exception {
        PruneRound round = new PruneRound(database.dataSource(), WEEK, Clock.SYSTEM);
        round.run();
        round.run();
        assertThat(warnings())
                .singleElement()
                .asString()
                .contains("outbox_from_0", "subscription sms has not read it completely");

        database.execute("update outbox_subscription set paused = true where name = 'sms'");
        round.run();
        round.run();
        assertThat(warnings()).hasSize(2).last().asString().contains("subscription sms is paused");

        database.execute("delete from outbox_subscription where name = 'sms'");
        round.run();
        assertThat(warnings()).hasSize(2);
        assertThat(messages(Level.INFO))
                .containsExactly("Pruned outbox_from_0: delivered everywhere and older than 7d");
    }

    @Test
    void a_role_that_may_not_prune_says_so_once() throws Exception {
        database.execute("update outbox_subscription set position = 1000000");
        String role = database.database() + "_relay";
        database.execute("create role " + role + " login password 'x'; grant select on outbox, outbox_subscription,"
                + " outbox_id_seq to " + role);
        DataSource relay = database.unpooledAs(role, "x");

        PruneRound round = new PruneRound(relay, WEEK, Clock.SYSTEM);
        round.run();
        round.run();

        assertThat(warnings())
                .singleElement()
                .asString()
                .contains("Could not prune the outbox", "./caravan partitions prune");
        assertThat(database.number("select count(*) from outbox")).isEqualTo(1);
        assertThat(round.lacksPrivilege()).isTrue();

        database.execute("grant postgres to " + role);
        round.run();
        assertThat(database.number("select count(*) from outbox")).isZero();
        assertThat(round.lacksPrivilege()).isFalse();
    }

    /** A role needs no right on a table to lock it: preparing a statement is sufficient. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "insert into public.outbox (type) values ('x')",
                "select from public.outbox_default",
                "update public.outbox_subscription set paused = true"
            })
    void a_session_that_prevents_pruning_is_reported_after_five_minutes(String statement) throws Exception {
        database.execute("update outbox_subscription set position = 1000000");
        AtomicLong minutes = new AtomicLong();
        PruneRound round = new PruneRound(database.dataSource(), WEEK, () -> minutes.get() * 60_000_000_000L);
        try (Connection session = database.unpooledAs(database.role("mallory"), TestOutbox.PASSWORD_OF_ROLES)
                        .getConnection();
                WrittenLog problems = WrittenLog.of(LastingProblem.class)) {
            session.setAutoCommit(false);
            session.createStatement().execute("prepare held as " + statement);
            int pid = session.unwrap(PGConnection.class).getBackendPID();

            round.run();
            minutes.set(4);
            round.run();
            assertThat(problems.lines()).isEmpty();
            minutes.set(5);
            round.run();
            round.run();

            assertThat(problems.lines())
                    .singleElement()
                    .asString()
                    .contains("Old messages are not removed for 5 minutes", "pid " + pid);
            session.rollback();
        }
        round.run();
        assertThat(database.number("select count(*) from outbox")).isZero();
    }

    @Test
    void nothing_is_done_or_said_when_the_retention_is_off() throws Exception {
        new PruneRound(database.dataSource(), Retention.UNLIMITED, Clock.SYSTEM).run();

        assertThat(log.list).isEmpty();
        assertThat(database.number("select count(*) from outbox")).isEqualTo(1);
    }

    private List<String> warnings() {
        return messages(Level.WARN);
    }

    private List<String> messages(Level level) {
        return log.list.stream()
                .filter(event -> event.getLevel() == level)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }
}
