package dev.caravan.engine.loop;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.ProxiedConnections;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Sql;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

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
        ReadPace pace = new ReadPace(Duration.ofSeconds(10), Duration.ofSeconds(1), now::get);
        wakeUp.join(pace);
        pace.again();
        now.addAndGet(Duration.ofSeconds(2).toNanos());
        wakeUp.start();
        assertThat(reached.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(outbox.number(OPEN)).isEqualTo(1);

        wakeUp.stop();

        eventually(() -> assertThat(outbox.number(OPEN)).isZero());
    }
}
