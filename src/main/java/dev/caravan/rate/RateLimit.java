package dev.caravan.rate;

import dev.caravan.clock.Clock;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The rate of one subscription in one relay: a token bucket whose size and inflow are the part of its lanes that this relay owns.
 * All lanes that it owns take from it. A lane brings the permits that it left unused elsewhere, and takes its part of the unused
 * permits along when it leaves. So the relays of a subscription together start at most {@code burst} attempts more than the rate
 * allows, in a period of any length, however lanes move. Thread-safe.
 */
public final class RateLimit {
    private static final double SECOND = 1e9;
    private static final Duration SHORTEST_AVERAGE = Duration.ofSeconds(3);
    /** A smaller part of the rate is reported as zero, so that the reports of an idle lane are equal. */
    private static final double NOTHING = 0.001;
    /** The longest wait for a permit. A lane that this relay takes over meanwhile makes permits come sooner. */
    private static final long LONGEST_WAIT = Duration.ofSeconds(1).toNanos();

    private final Rate rate;
    private final double burstOfLane;
    private final double perNanoOfLane;
    private final Clock clock;

    /** The lanes without a permit, in the order in which they get the next ones. */
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
            throw new IllegalArgumentException("burst " + burst + " is less than one permit for each of " + lanes);
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
        double most = unused.isExact() ? burstOfLane : mostAfterDeath();
        return new Share(Math.max(0, Math.min(most, accumulated)));
    }

    /**
     * A relay that died has reported its permits up to some seconds before, and may have used them since. Nevertheless a lane with a
     * slow rate keeps up to one: otherwise one message in an hour would never start if relays died more often than that.
     */
    private double mostAfterDeath() {
        return perNanoOfLane * SHORTEST_AVERAGE.toNanos() < 1 ? 1 : 0;
    }

    private void fill() {
        long now = clock.nanos();
        permits = Math.min(owned * burstOfLane, permits + Math.max(0, now - filledAt) * perNanoOfLane * owned);
        filledAt = now;
    }

    private final class Share implements RateShare {
        private boolean joined;
        /** The permits that it brings when it joins. */
        private double brought;

        private long started;
        private long measuredAt = clock.nanos();
        private double perSecond;
        private boolean waited;

        private Share(double brought) {
            this.brought = brought;
            join();
        }

        private void join() {
            fill();
            owned++;
            permits += brought;
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
                int granted = (int) Math.min(wanted, Math.floor(permits - before()));
                if (granted <= 0) {
                    waiting.add(this);
                    waited = true;
                    return 0;
                }
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
                double missing = 1 + before() - permits;
                double nanos = Math.ceil(missing / (perNanoOfLane * Math.max(1, owned)));
                return (long) Math.max(0, Math.min(nanos, LONGEST_WAIT));
            }
        }

        @Override
        public void leave() {
            synchronized (RateLimit.this) {
                if (joined) {
                    fill();
                    brought = permits / owned;
                    permits -= brought;
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
                double unused = joined ? permits / owned : brought;
                Use use = new Use(rate, perSecond, waited, Duration.ofMillis((long) (unused / perNanoOfLane / 1e6)));
                waited = waiting.contains(this);
                return Optional.of(use);
            }
        }

        /** An exponential average: a rate of one in an hour would otherwise be shown as 1,200 for three seconds, then as zero. */
        private void measure() {
            long now = clock.nanos();
            double seconds = (now - measuredAt) / SECOND;
            if (seconds > 0) {
                double average = Math.max(SHORTEST_AVERAGE.toSeconds(), 2 / (perNanoOfLane * SECOND));
                double weight = 1 - Math.exp(-seconds / average);
                perSecond += (started / seconds - perSecond) * weight;
                perSecond = perSecond < NOTHING * perNanoOfLane * SECOND ? 0 : perSecond;
                started = 0;
                measuredAt = now;
            }
        }
    }
}
