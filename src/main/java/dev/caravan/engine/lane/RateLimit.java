package dev.caravan.engine.lane;

import dev.caravan.base.clock.Clock;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The rate of one subscription in one relay: a token bucket. Its size and its fill rate are proportional to the number of lanes
 * that this relay owns. All these lanes take permits from it. A lane that joins adds the permits that its last owner has not
 * used; a lane that leaves takes its part of the unused permits. So the relays of a subscription together start at most
 * {@code burst} attempts more than the rate allows, in a period of any length, even if lanes change their owner. Thread-safe.
 */
public final class RateLimit {
    private static final double SECOND = 1e9;
    private static final Duration SHORTEST_AVERAGE = Duration.ofSeconds(3);
    /** A smaller fraction of the rate is reported as zero, so that the reports of an idle lane are equal. */
    private static final double NEGLIGIBLE = 0.001;
    /** The longest wait before a lane tries again to take a permit: if this relay claims another lane meanwhile, there are more permits. */
    private static final long LONGEST_WAIT = Duration.ofSeconds(1).toNanos();

    /**
     * A lane that waits gets what the rate allows in this time at once: a thread that starts, and a request of Kafka's client, cost more than a
     * message.
     */
    private static final long TOGETHER = Duration.ofMillis(10).toNanos();

    private final Rate rate;
    private final double burstOfLane;
    private final double perNanoOfLane;
    private final Clock clock;

    /** The lanes that wait for a permit, in the order in which they get one. */
    private final Set<Share> waiting = new LinkedHashSet<>();

    private int owned;
    private double permits;
    private long filledAt;

    /**
     * @param burst number of attempts that may start at once, at least the number of lanes: each lane may be owned by another relay,
     *     and needs room for one permit
     */
    public RateLimit(Rate rate, int burst, int lanes, Clock clock) {
        if (burst < lanes) {
            throw new IllegalArgumentException(
                    "burst " + burst + " is less than one permit for each of " + lanes + " lanes");
        }
        this.rate = rate;
        this.burstOfLane = (double) burst / lanes;
        this.perNanoOfLane = rate.perSecond() / SECOND / lanes;
        this.clock = clock;
        filledAt = clock.nanos();
    }

    /** The burst if none is given: what the rate allows in a tenth of a second, at least one for each lane. */
    public static int defaultBurst(Rate rate, int lanes) {
        return Math.max(lanes, (int) Math.ceil(rate.perSecond() / 10));
    }

    /**
     * Adds a lane that this relay has claimed.
     *
     * @param unused the permits that its last owner has not used
     */
    public synchronized RateShare join(UnusedPermits unused) {
        double accumulated = unused.accumulating().toMillis() * 1e6 * perNanoOfLane;
        double most = unused.isExact() ? burstOfLane : maxAfterCrash();
        return new Share(Math.max(0, Math.min(most, accumulated)));
    }

    /**
     * The maximum number of unused permits after the owner of a lane has crashed. It reported them up to some seconds before the
     * crash, and may have used them since, so the lane gets none. With a slow rate it gets up to one: otherwise, with one message
     * per hour, none would start if relays crashed more often than that.
     */
    private double maxAfterCrash() {
        return perNanoOfLane * SHORTEST_AVERAGE.toNanos() < 1 ? 1 : 0;
    }

    private void fill() {
        long now = clock.nanos();
        permits = Math.min(owned * burstOfLane, permits + Math.max(0, now - filledAt) * perNanoOfLane * owned);
        filledAt = now;
    }

    /** The permits that a waiting lane gets at once: at most half of what fits, so that none is lost while it waits. */
    private double together() {
        return Math.max(1, owned * Math.min(burstOfLane / 2, TOGETHER * perNanoOfLane));
    }

    private final class Share implements RateShare {
        private boolean joined;
        /** The permits of the lane while it has not joined. */
        private double ownPermits;

        private long started;
        private long measuredAt = clock.nanos();
        private double perSecond;
        private boolean waited;

        private Share(double ownPermits) {
            this.ownPermits = ownPermits;
            join();
        }

        private void join() {
            fill();
            owned++;
            permits += ownPermits;
            joined = true;
        }

        @Override
        public boolean isLimited() {
            return true;
        }

        @Override
        public int take(int wanted) {
            synchronized (RateLimit.this) {
                if (!joined) {
                    join();
                }
                fill();
                double available = permits - before();
                if (available < (waiting.contains(this) ? together() : 1)) {
                    waiting.add(this);
                    waited = true;
                    return 0;
                }
                int granted = (int) Math.min(wanted, available);
                waiting.remove(this);
                permits -= granted;
                started += granted;
                return granted;
            }
        }

        /** Number of lanes that get a permit before this one. */
        private int before() {
            int before = 0;
            for (Share other : waiting) {
                if (other == this) {
                    return before;
                }
                before++;
            }
            return before;
        }

        @Override
        public void giveBack(int unused) {
            synchronized (RateLimit.this) {
                permits += unused;
                started -= unused;
            }
        }

        @Override
        public void stopWaiting() {
            synchronized (RateLimit.this) {
                waiting.remove(this);
            }
        }

        @Override
        public boolean isWaiting() {
            synchronized (RateLimit.this) {
                return waiting.contains(this);
            }
        }

        @Override
        public long untilPermit() {
            synchronized (RateLimit.this) {
                fill();
                double missing = together() + before() - permits;
                double nanos = Math.ceil(missing / (perNanoOfLane * Math.max(1, owned)));
                return (long) Math.max(0, Math.min(nanos, LONGEST_WAIT));
            }
        }

        @Override
        public void leave() {
            synchronized (RateLimit.this) {
                if (joined) {
                    fill();
                    ownPermits = permits / owned;
                    permits -= ownPermits;
                    owned--;
                    joined = false;
                    waiting.remove(this);
                }
            }
        }

        @Override
        public Optional<Use> use() {
            synchronized (RateLimit.this) {
                fill();
                measure();
                double unused = joined ? permits / owned : ownPermits;
                Use use = new Use(rate, perSecond, waited, Duration.ofMillis((long) (unused / perNanoOfLane / 1e6)));
                waited = waiting.contains(this);
                return Optional.of(use);
            }
        }

        /** An exponential average: one attempt per hour would otherwise be shown as 1,200 per hour for three seconds, then as zero. */
        private void measure() {
            long now = clock.nanos();
            double seconds = (now - measuredAt) / SECOND;
            if (seconds > 0) {
                double average = Math.max(SHORTEST_AVERAGE.toSeconds(), 2 / (perNanoOfLane * SECOND));
                double weight = 1 - Math.exp(-seconds / average);
                perSecond += (started / seconds - perSecond) * weight;
                perSecond = perSecond < NEGLIGIBLE * perNanoOfLane * SECOND ? 0 : perSecond;
                started = 0;
                measuredAt = now;
            }
        }
    }
}
