package dev.caravan.lab.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestPostgres;
import dev.caravan.base.clock.Clock;
import dev.caravan.engine.schedule.OnDead;
import dev.caravan.engine.schedule.Order;
import dev.caravan.lab.history.plan.HistoryOptions;
import dev.caravan.lab.history.plan.HistoryPlan;
import dev.caravan.lab.history.plan.Step;
import dev.caravan.lab.history.plan.StepKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The short version of {@code ./caravan torture --histories}. The system property {@code seed} sets another first seed. */
class HistoriesIT {
    private static final Duration FIRST = Duration.ofSeconds(5);
    private static final Duration LIMIT = Duration.ofSeconds(Long.getLong("seconds", 10));

    static long[] seeds() {
        Long given = Long.getLong("seed");
        return given != null
                ? new long[] {given}
                : new long[] {1, ThreadLocalRandom.current().nextLong(1_000_000_000)};
    }

    /** Whatever fails here fails again. Says nothing about a statement that was too slow once, on a busy machine. */
    @Test
    void the_first_histories_keep_the_promises() throws Exception {
        try (HistoryPlayer histories = HistoryPlayer.on(TestPostgres.server())) {
            assertThat(play(histories, 1, FIRST)).isEmpty();
        }
    }

    /** The lanes of a relay that share reads find out that their server was replaced, and are claimed again. */
    @ParameterizedTest
    @CsvSource({"0, 2, 2, 25000", "1, 3, 1, 0"})
    void lanes_that_share_reads_are_claimed_again_after_a_promotion(int relay, int lanes, int claimed, int millis)
            throws Exception {
        List<Step> steps = new ArrayList<>(List.of(
                new Step(StepKind.INSERT, 0, 0, 0),
                new Step(StepKind.INSERT, 0, 2, 0),
                new Step(StepKind.COMMIT, 0, 0, 0),
                new Step(
                        StepKind.TIME, 0, millis, 0))); // after a long time without the tail, lanes read for themselves
        IntStream.range(0, claimed).forEach(lane -> steps.add(new Step(StepKind.TURN, relay, lane, 0)));
        steps.add(new Step(StepKind.REPLICATE, 0, 0, 0));
        steps.add(new Step(StepKind.PROMOTE, 0, 0, 0));
        steps.add(new Step(StepKind.INSERT, 0, 0, 0));
        var options = new HistoryOptions(
                "order.*", Order.key, false, OnDead.CONTINUE, 1, 2, 2, lanes, 1, 100, HistoryOptions.StartAt.EARLIEST);

        try (HistoryPlayer histories = HistoryPlayer.on(TestPostgres.server())) {
            assertThat(histories.promiseBrokenBy(new HistoryPlan(List.of(options), true, steps)))
                    .isEmpty();
        }
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("seeds")
    void random_histories_keep_the_promises(long seed) throws Exception {
        System.out.println("histories from seed " + seed + " on");
        try (HistoryPlayer histories = HistoryPlayer.on(TestPostgres.server())) {
            assertThat(play(histories, seed, LIMIT)).isEmpty();
            assertThat(histories.notReproduced())
                    .as("failed once and not again, with the same seed")
                    .isEmpty();
        }
    }

    private static Optional<HistoryPlayer.Broken> play(HistoryPlayer histories, long seed, Duration limit) {
        long end = Clock.SYSTEM.nanos() + limit.toNanos();
        return histories.play(seed, played -> Clock.SYSTEM.nanos() - end < 0);
    }
}
