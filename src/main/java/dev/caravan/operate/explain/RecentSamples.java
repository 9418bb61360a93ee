package dev.caravan.operate.explain;

import dev.caravan.operate.explain.History.Moment;
import dev.caravan.operate.subscription.SubscriptionStatus;
import dev.caravan.operate.watch.Sample;
import dev.caravan.operate.watch.Sampler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Samples of the subscriptions in the last hour, taken by this relay. Thread-safe. */
public final class RecentSamples {
    private static final int INTERVAL_SECONDS = (int) Sampler.INTERVAL.toSeconds();
    /** Number of minutes that are stored. */
    public static final int MINUTES = 60;

    private static final int MAX_SAMPLES = MINUTES * 60 / INTERVAL_SECONDS;
    private static final Duration RATE_PERIOD = Duration.ofSeconds(30);
    private static final int SPARK_POINTS = 60;
    /** To which rates are rounded. */
    private static final double TENTHS = 10;

    /** One subscription in one sample. */
    private record Point(
            long delivered, long position, double lagSeconds, long backlog, Integer latencyMillis, long epoch)
            implements History.Point {
        static Point of(SubscriptionStatus status) {
            return new Point(
                    status.delivered(),
                    status.position(),
                    status.lag().toMillis() / 1000.0,
                    status.backlog(),
                    status.latencyMillis().orElse(null),
                    status.epoch());
        }
    }

    private final List<Moment<Point>> moments = new ArrayList<>(); // oldest first
    private final Duration ratePeriod;

    /** Rates are those over the last 30 s. */
    public RecentSamples() {
        this(RATE_PERIOD);
    }

    /** @param ratePeriod the time over which rates are computed; zero for the time since the previous sample */
    public RecentSamples(Duration ratePeriod) {
        this.ratePeriod = ratePeriod;
    }

    /** Adds the newest sample. */
    public synchronized void add(Sample sample) {
        Map<String, Point> points = new HashMap<>();
        sample.subscriptions().forEach(status -> points.put(status.name(), Point.of(status)));
        moments.add(new Moment<>(sample.at(), points));
        if (moments.size() > MAX_SAMPLES) {
            moments.remove(0);
        }
    }

    /**
     * Adds the newest sample. First deletes all samples if the last one is older than {@code longestPause}: rates over a longer pause
     * are not current.
     */
    public synchronized void continueWith(Sample sample, Duration longestPause) {
        if (!moments.isEmpty()
                && moments.get(moments.size() - 1).at().isBefore(sample.at().minus(longestPause))) {
            moments.clear();
        }
        add(sample);
    }

    /** Messages delivered per second; empty with fewer than two samples. */
    public synchronized Optional<Double> rate(String subscription) {
        return change(subscription, ratePeriod).map(Change::rate);
    }

    /**
     * Seconds until the backlog is empty at its rate of decrease, which includes new messages and ids of other types; empty when the backlog
     * does not decrease.
     */
    public synchronized Optional<Double> secondsToDrain(SubscriptionStatus status) {
        return change(status.name(), ratePeriod)
                .filter(change -> status.backlog() > 0 && !status.isUpToDate())
                .map(Change::decreasePerSecond)
                .filter(decrease -> decrease > 0)
                .map(decrease -> Math.round(status.backlog() / decrease * 10) / 10.0);
    }

    /** Whether no message was delivered or taken during this time. False while the history is shorter. */
    public synchronized boolean hasNoProgress(String subscription, Duration time) {
        return change(subscription, time)
                .filter(change -> Math.abs(change.seconds() - time.toSeconds()) <= INTERVAL_SECONDS)
                .map(change -> change.to().delivered() == change.from().delivered()
                        && change.to().position() == change.from().position())
                .orElse(false);
    }

    /** Number of times that a relay claimed a lane of the subscription during this time. */
    public synchronized long claims(String subscription, Duration time) {
        return change(subscription, time)
                .filter(change -> change.seconds() <= time.toSeconds() + INTERVAL_SECONDS)
                .map(change -> change.to().epoch() - change.from().epoch())
                .orElse(0L);
    }

    /** The rates between the last 60 samples, newest last. */
    public synchronized List<Double> recentRates(String subscription) {
        int first = Math.max(0, moments.size() - SPARK_POINTS - 1);
        List<Double> rates = History.rates(subscription, moments.subList(first, moments.size()), TENTHS);
        return rates.subList(Math.max(0, rates.size() - SPARK_POINTS), rates.size());
    }

    /** The last minutes, at most {@link #MINUTES}. */
    public synchronized History history(int minutes, Instant now) {
        Instant from = now.minus(Duration.ofMinutes(minutes));
        return History.of(
                INTERVAL_SECONDS,
                moments.stream().filter(sample -> !sample.at().isBefore(from)).toList(),
                TENTHS);
    }

    /** The change of a subscription between two samples. */
    private record Change(String subscription, Moment<Point> before, Moment<Point> after) {
        Point from() {
            return before.points().get(subscription);
        }

        Point to() {
            return after.points().get(subscription);
        }

        double seconds() {
            return Duration.between(before.at(), after.at()).toMillis() / 1000.0;
        }

        double rate() {
            return after.rate(before, subscription, TENTHS);
        }

        /** Decrease of the backlog per second. */
        double decreasePerSecond() {
            return seconds() <= 0 ? 0 : (from().backlog() - to().backlog()) / seconds();
        }
    }

    /**
     * The change to the newest sample from the oldest one within this time, or from the one before it if there is none. Looks at no older ones,
     * because the overview has many subscriptions.
     */
    private Optional<Change> change(String subscription, Duration time) {
        Moment<Point> newest = null;
        Moment<Point> from = null;
        for (int i = moments.size() - 1; i >= 0; i--) {
            Moment<Point> moment = moments.get(i);
            if (moment.points().containsKey(subscription)) {
                if (newest == null) {
                    newest = moment;
                } else if (from == null
                        || !moment.at().isBefore(newest.at().minus(time).minusSeconds(1))) {
                    from = moment;
                } else {
                    break;
                }
            }
        }
        return from == null ? Optional.empty() : Optional.of(new Change(subscription, from, newest));
    }
}
