package dev.caravan.lab.history.plan;

import dev.caravan.base.message.TypePatterns;
import dev.caravan.engine.lane.BatchLimits;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.lane.Start;
import dev.caravan.engine.schedule.Backoff;
import dev.caravan.engine.schedule.OnDead;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.schedule.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The options of a subscription in a history. */
public record HistoryOptions(
        String types,
        Order order,
        boolean pipelined,
        OnDead onDead,
        int concurrency,
        int batch,
        int window,
        int lanes,
        int maxAttempts,
        int saveMillis,
        StartAt start) {
    public static final Duration LEASE = Duration.ofSeconds(100);
    /** The time of {@link StartAt#TIME}: messages are written before and after it. */
    public static final Instant SINCE = Instant.ofEpochSecond(HistoryClock.START_SECONDS + 2);

    /** Where the subscription starts. */
    public enum StartAt {
        EARLIEST,
        LATEST,
        TIME
    }

    public boolean deadLettersBlock() {
        return onDead.blocks(order);
    }

    /** Whether the subscription selects messages of a type. */
    public boolean selects(String type) {
        return TypePatterns.match(types, type);
    }

    private Start startOption() {
        return Start.parse(
                switch (start) {
                    case EARLIEST -> "earliest";
                    case LATEST -> "latest";
                    case TIME -> SINCE.toString();
                });
    }

    /** @param lanesInRoute the number of lanes in the route now */
    public LaneSettings settings(String subscription, int lanesInRoute, String relay) {
        Backoff backoff = new Backoff(Duration.ofMillis(40), Duration.ofMillis(500), new Random(1));
        return new LaneSettings(
                subscription,
                lanesInRoute,
                types,
                startOption(),
                relay,
                LEASE,
                order,
                pipelined,
                concurrency,
                batch,
                1_000_000,
                1 << 24,
                window,
                new RetryPolicy(maxAttempts, Duration.ofHours(10), backoff, onDead),
                Duration.ofMillis(saveMillis),
                Duration.ofSeconds(1),
                BatchLimits.SINGLE);
    }

    /** Simpler options than these, each with one difference. */
    List<HistoryOptions> simpler() {
        List<HistoryOptions> all = new ArrayList<>();
        if (lanes > 1) {
            all.add(new HistoryOptions(
                    types, order, pipelined, onDead, concurrency, batch, window, 1, maxAttempts, saveMillis, start));
        }
        if (pipelined) {
            all.add(new HistoryOptions(
                    types, order, false, onDead, concurrency, batch, window, lanes, maxAttempts, saveMillis, start));
        }
        if (start != StartAt.EARLIEST) {
            all.add(new HistoryOptions(
                    types,
                    order,
                    pipelined,
                    onDead,
                    concurrency,
                    batch,
                    window,
                    lanes,
                    maxAttempts,
                    saveMillis,
                    StartAt.EARLIEST));
        }
        if (concurrency > 1) {
            all.add(new HistoryOptions(
                    types, order, pipelined, onDead, 1, batch, window, lanes, maxAttempts, saveMillis, start));
        }
        if (batch > 1 || window > 1) {
            all.add(new HistoryOptions(
                    types, order, pipelined, onDead, concurrency, 1, 1, lanes, maxAttempts, saveMillis, start));
            all.add(new HistoryOptions(
                    types, order, pipelined, onDead, concurrency, batch, batch, lanes, maxAttempts, saveMillis, start));
        }
        return all;
    }
}
