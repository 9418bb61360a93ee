package dev.caravan.lab.history;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.caravan.lab.history.plan.HistoryPlan;
import dev.caravan.lab.history.plan.RandomHistory;
import dev.caravan.lab.history.plan.Shrinking;
import dev.caravan.lab.servers.PostgresServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;
import org.slf4j.LoggerFactory;

/** Plays random histories on one database, one after the other, until one breaks a promise. */
public final class HistoryPlayer implements AutoCloseable {
    private static final Duration SHRINKING = Duration.ofMinutes(2);
    private static final List<String> NOISY = List.of("dev.caravan", "com.zaxxer.hikari");

    /**
     * A history that broke a promise.
     *
     * @param seed the seed of this history
     * @param promise the broken promise
     * @param steps the shortest history that was found, one line for each step
     */
    public record Broken(long seed, String promise, String steps) {
        @Override
        public String toString() {
            return "seed " + seed + ": " + promise + "\n" + steps;
        }
    }

    private final HistoryDatabase database;
    private final Mutation mutation;
    private final List<Level> levels;
    private final List<String> notReproduced = new ArrayList<>();

    private HistoryPlayer(HistoryDatabase database, Mutation mutation) {
        this.database = database;
        this.mutation = mutation;
        levels = NOISY.stream().map(name -> logger(name).getLevel()).toList();
        NOISY.forEach(name -> logger(name).setLevel(Level.OFF));
    }

    private static Logger logger(String name) {
        return (Logger) LoggerFactory.getLogger(name);
    }

    /** Creates a database on a server that allows prepared transactions. */
    public static HistoryPlayer on(PostgresServer server) throws SQLException {
        return on(server, Mutation.NONE);
    }

    /** Creates the same for relays whose statements are changed. */
    static HistoryPlayer on(PostgresServer server, Mutation mutation) throws SQLException {
        return new HistoryPlayer(HistoryDatabase.create(server), mutation);
    }

    /**
     * Plays histories with consecutive seeds, starting with this one.
     *
     * @param continues receives the number of histories played so far; returns whether to play another one
     * @return the first one that breaks a promise, shrunk; empty if none does
     */
    public Optional<Broken> play(long seed, LongPredicate continues) {
        for (long played = 0; continues.test(played); played++) {
            Optional<Broken> broken = play(seed + played);
            if (broken.isPresent()) {
                return broken;
            }
        }
        return Optional.empty();
    }

    private Optional<Broken> play(long seed) {
        HistoryPlan history = RandomHistory.of(seed);
        Optional<String> first = promiseBrokenBy(history);
        if (first.isEmpty()) {
            return Optional.empty();
        }
        if (promiseBrokenBy(history).isEmpty()) {
            notReproduced.add("seed " + seed + ": " + first.get());
            return Optional.empty();
        }
        String[] promise = {first.get()};
        HistoryPlan shrunk = Shrinking.of(
                history,
                candidate -> {
                    Optional<String> broken = promiseBrokenBy(candidate);
                    broken.ifPresent(text -> promise[0] = text);
                    return broken.isPresent();
                },
                SHRINKING);
        return Optional.of(new Broken(seed, promise[0], shrunk.print()));
    }

    /**
     * The histories that failed only when they were played first. A history has the same result each time, unless a statement takes
     * longer than a time limit on a busy machine.
     */
    public List<String> notReproduced() {
        return List.copyOf(notReproduced);
    }

    /** Plays a history; returns the promise that it breaks. */
    Optional<String> promiseBrokenBy(HistoryPlan history) {
        try (Play play = new Play(history, database, mutation)) {
            play.run();
            return Optional.empty();
        } catch (Violation e) {
            return Optional.of(e.getMessage());
        } catch (SQLException | RuntimeException e) {
            return Optional.of(e.toString());
        }
    }

    @Override
    public void close() throws SQLException {
        database.close();
        for (int i = 0; i < levels.size(); i++) {
            logger(NOISY.get(i)).setLevel(levels.get(i));
        }
    }
}
