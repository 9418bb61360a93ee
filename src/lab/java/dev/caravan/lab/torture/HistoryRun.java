package dev.caravan.lab.torture;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.base.clock.Clock;
import dev.caravan.lab.history.HistoryPlayer;
import dev.caravan.lab.history.HistoryPlayer.Broken;
import dev.caravan.lab.servers.PostgresServer;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** Plays random histories on a new Postgres until a promise is broken, all are played, or the time limit is reached. */
final class HistoryRun {
    private static final long REPORT_NANOS = Duration.ofSeconds(5).toNanos();

    private final long count;
    private final Optional<Duration> limit;
    private final Consumer<String> progress;
    private volatile long begun;
    private volatile long played;
    private long reported;

    /**
     * The result of all histories.
     *
     * @param played number of histories in which all promises held
     * @param summary the same as a sentence
     */
    record Result(long played, String summary, Optional<Broken> broken) {
        String text() {
            return broken.map(history -> "VIOLATED: " + history.promise() + "\nSeed " + history.seed()
                            + ", shrunk to these steps:\n" + history.steps() + "Run it again with --histories 1 --seed "
                            + history.seed())
                    .orElse("Result: " + summary);
        }

        ObjectNode json(long seed) {
            ObjectNode root = new ObjectMapper().createObjectNode();
            root.put("seed", seed).put("histories", played).put("ok", broken.isEmpty());
            broken.ifPresent(history -> root.putObject("broken")
                    .put("seed", history.seed())
                    .put("promise", history.promise())
                    .put("steps", history.steps()));
            return root;
        }
    }

    /** @param progress receives a line every five seconds */
    HistoryRun(long count, Optional<Duration> limit, Consumer<String> progress) {
        this.count = count;
        this.limit = limit;
        this.progress = progress;
    }

    /** Plays histories with consecutive seeds, starting with this one. */
    Result from(long seed) throws Exception {
        progress.accept("Starting Postgres ...");
        try (PostgresServer postgres = PostgresServer.startWithPreparedTransactions();
                HistoryPlayer histories = HistoryPlayer.on(postgres)) {
            begun = Clock.SYSTEM.nanos();
            reported = begun;
            Optional<Broken> broken = histories.play(seed, this::continues);
            histories.notReproduced().forEach(failure -> progress.accept("Failed only once: " + failure));
            return new Result(played, summary(), broken);
        }
    }

    private boolean continues(long number) {
        played = number;
        if (Clock.SYSTEM.nanos() - reported >= REPORT_NANOS) {
            reported = Clock.SYSTEM.nanos();
            progress.accept(summary());
        }
        return number < count && (limit.isEmpty() || time().compareTo(limit.get()) < 0);
    }

    /** Reports in how many histories all promises have held so far. */
    String summary() {
        return "every promise held in %,d histories, %.1f per second"
                .formatted(played, played * 1_000.0 / Math.max(1, time().toMillis()));
    }

    private Duration time() {
        return begun == 0 ? Duration.ZERO : Duration.ofNanos(Clock.SYSTEM.nanos() - begun);
    }
}
