package dev.caravan.engine.loop;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.ProxiedConnections;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Sql;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** The connection with which a relay sleeps or watches. */
class WakeUpIT {
    private static final String OPEN = "select count(*) from pg_stat_activity where application_name = 'wake-up'"
            + " and datname = current_database()";

    private final TestOutbox outbox = TestOutbox.create();
    private final AtomicLong now = new AtomicLong();

    @AfterEach
    void close() throws Exception {
        outbox.close();
    }

    @Test
    void a_relay_that_stops_in_the_middle_of_a_statement_begins_no_other_one() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        WakeUp wakeUp = new WakeUp(
                new ProxiedConnections(outbox.unpooled()) {
                    @Override
                    protected Object on(Call call) throws Exception {
                        if (call.isExecution() && call.text().contains("outbox_sleeper")) {
                            Sql.execute(call.connection(), "set application_name = 'wake-up'");
                            reached.countDown();
                            while (!Thread.currentThread().isInterrupted()) {
                                Thread.onSpinWait();
                            }
                        }
                        return call.proceed();
                    }
                },
                now::get);
        ReadPace pace = new ReadPace(Duration.ofSeconds(10), Duration.ofSeconds(1), wakeUp::sleepNumber, now::get);
        wakeUp.watchFor(() -> Optional.of("orders"));
        wakeUp.join(pace);
        pace.again();
        now.addAndGet(Duration.ofSeconds(2).toNanos());
        wakeUp.start();
        assertThat(reached.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(outbox.number(OPEN)).isEqualTo(1);

        wakeUp.stop();

        eventually(() -> assertThat(outbox.number(OPEN)).isZero());
    }

    /** Both have the same subscriptions, in one database. */
    @Test
    void relays_of_two_outboxes_watch_at_the_same_time_and_those_of_one_do_not() throws Exception {
        outbox.execute("create schema other; create table other.outbox ()");
        try (Connection elsewhere = outbox.unpooled().getConnection();
                WakeUpConnection one = new WakeUpConnection(outbox.unpooled());
                WakeUpConnection same = new WakeUpConnection(outbox.unpooled());
                WakeUpConnection other = new WakeUpConnection(new SingleConnectionDataSource(elsewhere, true))) {
            elsewhere.setSchema("other");
            assertThat(one.watch("orders")).isTrue();
            assertThat(same.watch("orders")).isFalse();
            assertThat(other.watch("orders")).isTrue();
            same.listenToRelays();
            other.endWatch();
            assertThat(same.awaitNotification(Duration.ofMillis(200))).isFalse();
            one.endWatch();
            assertThat(same.awaitNotification(Duration.ofSeconds(30))).isTrue();
            assertThat(same.watch("orders")).isTrue();
        }
    }
}
