package dev.caravan.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.lab.servers.Await;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An administrator ends all sessions of two relays each second, also those of presence. The system property {@code cuts} gives
 * another number of seconds.
 */
@Tag("long")
class CutConnectionsIT {
    private static final int CUTS = Integer.getInteger("cuts", 10);
    private static final int LANES = 4;

    @Test
    void nothing_is_lost_or_out_of_order_when_each_second_all_sessions_end(@TempDir Path routes) throws Exception {
        Route route = new Route(false, 1_000, LANES, "", "");
        try (var stage = new Stage(routes, route, Duration.ofSeconds(10))) {
            stage.startRelay("cut-a");
            stage.startRelay("cut-b");
            Await.until("each relay owns two lanes", Duration.ofSeconds(180), () -> stage.owners(LANES / 2) == 2);
            long epochs = epochs(stage);
            long ended;
            try (var writers = stage.startSlowWriters(100, 7)) {
                ended = cut(stage);
                writers.stop();
            }
            DeliveryCheck comparison = stage.awaitComplete();
            assertThat(ended).as("sessions ended").isGreaterThan(2L * CUTS);
            System.out.printf(
                    "%d cuts: %d sessions ended, %d messages, %d repeats, %d claims%n",
                    CUTS, ended, comparison.committed(), comparison.repeats(), epochs(stage) - epochs);
        }
    }

    /** Ends all sessions once a second; returns the number of ended sessions. */
    private static long cut(Stage stage) throws Exception {
        AtomicInteger cuts = new AtomicInteger();
        AtomicLong ended = new AtomicLong();
        ScheduledExecutorService administrator = Executors.newSingleThreadScheduledExecutor();
        try {
            var cutting = administrator.scheduleAtFixedRate(
                    () -> {
                        ended.addAndGet(endSessions(stage));
                        cuts.incrementAndGet();
                    },
                    1,
                    1,
                    TimeUnit.SECONDS);
            Await.until(
                    CUTS + " cuts", Duration.ofSeconds(2L * CUTS + 60), () -> cutting.isDone() || cuts.get() >= CUTS);
            assertThat(cutting.isDone()).as("a cut has failed").isFalse();
            return ended.get();
        } finally {
            administrator.shutdownNow();
        }
    }

    private static long endSessions(Stage stage) {
        try {
            return stage.outbox().cutConnectionsOfRelays();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long epochs(Stage stage) throws SQLException {
        return stage.outbox().number("select coalesce(sum(epoch), 0) from outbox_subscription");
    }
}
