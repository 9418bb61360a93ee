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
import java.util.Set;
import java.util.stream.Stream;

/** Samples of the subscriptions in the last hour, taken by this relay, and what relays did between them. Thread-safe. */
public final class RecentSamples {
    private static final int INTERVAL_SECONDS = (int) Sampler.INTERVAL.toSeconds();
    /** Number of minutes that are stored. */
    public static final int MINUTES = 60;

    private static final int MAX_SAMPLES = MINUTES * 60 / INTERVAL_SECONDS;
    private static final Duration RATE_PERIOD = Duration.ofSeconds(30);
    private static final int SPARK_POINTS = 60;
    /** Of a sample that takes longer, the sampler reports that the database hangs. */
    private static final Duration LONGEST = Sampler.INTERVAL.multipliedBy(3);

    /** One subscription in one sample. */
    record Point(long delivered, long position, double lagSeconds, long backlog, Integer latencyMillis, long epoch)
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

        /** This one with the largest values of both, so that a short peak stays visible. */
        Point largest(Point earlier) {
            return earlier == null
                    ? this
                    : new Point(
                            delivered,
                            position,
                            Math.max(lagSeconds, earlier.lagSeconds),
                            Math.max(backlog, earlier.backlog),
                            Stream.of(Optional.ofNullable(latencyMillis), Optional.ofNullable(earlier.latencyMillis))
                                    .flatMap(Optional::stream)
                                    .max(Integer::compareTo)
                                    .orElse(null),
                            epoch);
        }
    }

    private final List<Moment<Point>> moments = new ArrayList<>(); // oldest first
    private final RelayMarks marks = new RelayMarks();
    private final Duration ratePeriod;
    private Optional<Instant> begun = Optional.empty();

    /** Rates are those over the last 30 s. */
    public RecentSamples() {
        this(RATE_PERIOD);
    }

    /** @param ratePeriod the time over which rates are computed; zero for the time since the previous sample */
    public RecentSamples(Duration ratePeriod) {
        this.ratePeriod = ratePeriod;
    }

    /** Adds the newest sample. If the clock was set back, the samples of the time that comes again are deleted: the times are in order. */
    public synchronized void add(Sample sample) {
        moments.removeIf(moment -> !moment.at().isBefore(sample.at()));
        Map<String, Point> points = new HashMap<>();
        sample.subscriptions().forEach(status -> points.put(status.name(), Point.of(status)));
        moments.add(new Moment<>(sample.at(), points, LONGEST));
        marks.add(sample);
        begun = begun.or(() -> Optional.of(sample.at()));
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
            marks.clear();
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
        List<Double> rates = History.rates(subscription, moments.subList(first, moments.size()), History.TENTHS);
        return rates.subList(Math.max(0, rates.size() - SPARK_POINTS), rates.size());
    }

    /** The time of the newest sample; empty before the first one. */
    synchronized Optional<Instant> newest() {
        return moments.isEmpty()
                ? Optional.empty()
                : Optional.of(moments.get(moments.size() - 1).at());
    }

    /** The newest sample, with the largest values of this time. */
    synchronized Map<String, Point> largest(Duration time) {
        Moment<Point> largest = null;
        for (Moment<Point> moment : moments) {
            if (!moment.at().isBefore(moments.get(moments.size() - 1).at().minus(time))) {
                largest = combined(largest, moment, time, Optional.empty());
            }
        }
        return largest == null ? Map.of() : largest.points();
    }

    /** The time of the first sample ever; empty before it. */
    synchronized Optional<Instant> begun() {
        return begun;
    }

    /** What relays did, oldest first. */
    synchronized List<Mark> marks() {
        return marks.all();
    }

    /**
     * The samples of a range of time, one for each step: the last one of the step, with the largest values of all.
     *
     * @param subscription only this one; empty for all
     */
    synchronized List<Moment<Point>> moments(Instant from, Instant to, Duration step, Optional<String> subscription) {
        List<Moment<Point>> found = new ArrayList<>();
        long last = Long.MIN_VALUE;
        for (Moment<Point> moment : moments) {
            if (moment.at().isBefore(from) || moment.at().isAfter(to)) {
                continue;
            }
            long number = step.compareTo(Sampler.INTERVAL) <= 0
                    ? last + 1
                    : moment.at().getEpochSecond() / step.toSeconds();
            Moment<Point> earlier = number == last ? found.remove(found.size() - 1) : null;
            found.add(combined(earlier, moment, step, subscription));
            last = number;
        }
        return found;
    }

    private static Moment<Point> combined(
            Moment<Point> earlier, Moment<Point> moment, Duration step, Optional<String> subscription) {
        Map<String, Point> points = new HashMap<>();
        for (String name : subscription.map(Set::of).orElse(moment.points().keySet())) {
            Point point = moment.points().get(name);
            if (point != null) {
                points.put(
                        name,
                        point.largest(earlier == null ? null : earlier.points().get(name)));
            }
        }
        Duration longest = step.multipliedBy(2).plus(Sampler.INTERVAL);
        return new Moment<>(moment.at(), points, longest.compareTo(LONGEST) > 0 ? longest : LONGEST);
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
            return after.rate(before, subscription, History.TENTHS);
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
