package dev.caravan.lab.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestPostgres;
import dev.caravan.clock.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The short version of {@code ./caravan torture --histories}. The system property {@code seed} sets another first seed. */
class HistoriesIT {
    private static final Duration LIMIT = Duration.ofSeconds(Long.getLong("seconds", 10));

    static long[] seeds() {
        Long given = Long.getLong("seed");
        return given != null
                ? new long[] {given}
                : new long[] {1, ThreadLocalRandom.current().nextLong(1_000_000_000)};
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void random_histories_keep_the_promises(long seed) throws Exception {
        System.out.println("histories from seed " + seed + " on");
        try (HistoryPlayer histories = HistoryPlayer.on(TestPostgres.server())) {
            long end = Clock.SYSTEM.nanos() + LIMIT.toNanos();
            Optional<HistoryPlayer.Broken> broken = histories.play(seed, played -> Clock.SYSTEM.nanos() - end < 0);

            assertThat(broken).isEmpty();
            assertThat(histories.notReproduced())
                    .as("failed once and not again, with the same seed")
                    .isEmpty();
        }
    }
}
