package dev.caravan.lab.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestPostgres;
import dev.caravan.base.clock.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
