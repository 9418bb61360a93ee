package dev.caravan.engine.lane;

import dev.caravan.engine.schedule.Backoff;
import dev.caravan.engine.schedule.OnDead;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.schedule.RetryPolicy;
import java.time.Duration;
import java.util.Random;
import java.util.function.Consumer;

/** Settings of the only lane of a subscription. A test names those that matter. */
public final class TestLaneSettings {
    public String subscription = "orders";
    public String types = "*";
    public String relay = "relay";
    public Duration lease = Duration.ofSeconds(10);
    public Order order = Order.key;
    public boolean pipelined;
    public int concurrency = 8;
    public int batchSize = 100;
    public long batchBytes = 1 << 20;
    public int window = 200;
    public int maxAttempts = 3;
    public Duration maxAge = Duration.ofDays(1);
    public Backoff backoff = new Backoff(Duration.ofSeconds(1), Duration.ofDays(1), new Random(1));
    public OnDead onDead = OnDead.CONTINUE;
    public Duration saveInterval = Duration.ofMillis(100);
    public BatchLimits batching = BatchLimits.SINGLE;

    private TestLaneSettings() {}

    public static LaneSettings of(Consumer<TestLaneSettings> changes) {
        TestLaneSettings settings = new TestLaneSettings();
        changes.accept(settings);
        return settings.toRecord();
    }

    private LaneSettings toRecord() {
        return new LaneSettings(
                subscription,
                1,
                types,
                Start.parse("earliest"),
                relay,
                lease,
                order,
                pipelined,
                concurrency,
                batchSize,
                batchBytes,
                1 << 24,
                window,
                new RetryPolicy(maxAttempts, maxAge, backoff, onDead),
                saveInterval,
                Lane.REFUSED_INTERVAL,
                batching);
    }
}
