package dev.caravan.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.lab.servers.Await;
import dev.caravan.lab.servers.RelayProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two relays share the rate of a subscription, and one of them is killed. */
@Tag("long")
class RateIT {
    private static final Duration LIMIT = Duration.ofSeconds(120);
    private static final int RATE = 60;
    private static final int BURST = 12;

    @Test
    void relays_together_keep_the_rate_and_the_survivor_takes_over_the_part_of_a_killed_one(@TempDir Path routes)
            throws Exception {
        Route route = Route.toKafka().withLanes(4).withRate(RATE + "/s", BURST);
        try (var stage = new Stage(routes, route, Duration.ofSeconds(30))) {
            stage.outbox()
                    .execute("insert into outbox (aggregate_type, aggregate_id, type, payload)"
                            + " select 'order', 'k' || n % 400, 'order.created', jsonb_build_object('sequence', n)"
                            + " from generate_series(1, 10000) n");
            RelayProcess survivor = stage.startRelay("survivor");
            RelayProcess killed = stage.startRelay("killed");
            stage.received().awaitSentBy(survivor, 1);
            stage.received().awaitSentBy(killed, 100);
            Await.until(
                    "the rate is reported",
                    LIMIT,
                    () -> stage.outbox()
                                    .number("select count(*) from outbox_subscription where rate_limit = '60/s'"
                                            + " and waits_for_rate and attempts_per_second > 10")
                            == 4);
            killed.kill();
            Await.until(
                    "the survivor has all lanes",
                    LIMIT,
                    () -> stage.outbox().number("select count(*) from outbox_subscription where owner = 'survivor'")
                            == 4);
            int before = stage.received().sentBy("survivor");
            Await.until(
                    "it has sent for three seconds",
                    LIMIT,
                    () -> stage.received().sentBy("survivor") > before + 3 * RATE);

            List<Long> starts = stage.received().all().stream()
                    .map(Received.Arrival::startedMillis)
                    .sorted()
                    .toList();
            assertThat(mostInASecond(starts))
                    .isLessThanOrEqualTo(RATE + BURST + 2); // times are rounded to milliseconds
            long last = starts.get(starts.size() - 1);
            assertThat(starts.stream().filter(start -> start > last - 3_000).count())
                    .as("the survivor uses the whole rate")
                    .isGreaterThan(3 * RATE * 8 / 10);
        }
    }

    private static int mostInASecond(List<Long> starts) {
        int most = 0;
        int first = 0;
        for (int last = 0; last < starts.size(); last++) {
            while (starts.get(last) - starts.get(first) >= 1_000) {
                first++;
            }
            most = Math.max(most, last - first + 1);
        }
        return most;
    }
}
