package dev.caravan.operate.explain;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The subscriptions over a range of time.
 *
 * @param from begin of the range
 * @param to end of the range
 * @param intervalSeconds the smallest time between two samples
 * @param at the times of the samples, in order; where samples are missing, one time in the gap has no values
 * @param marks what people and relays did in the range, oldest first; of many the newest
 */
public record History(
        Instant from,
        Instant to,
        int intervalSeconds,
        List<Instant> at,
        Map<String, Series> subscriptions,
        List<Mark> marks) {
    /** To which rates are rounded. */
    static final double TENTHS = 10;

    private static final double HUNDREDTHS = 100;

    /** The values of a subscription, one for each time; null where it is unknown. */
    public record Series(
            List<Double> ratePerSecond, List<Double> lagSeconds, List<Long> backlog, List<Integer> latencyMillis) {}

    /** A subscription in a sample. */
    interface Point {
        long delivered();

        double lagSeconds();

        long backlog();

        Integer latencyMillis();
    }

    /**
     * All subscriptions in a sample, by name.
     *
     * @param longest the longest time since the previous sample; if it is longer, samples are missing
     */
    record Moment<P extends Point>(Instant at, Map<String, P> points, Duration longest) {
        /** Messages delivered per second since an earlier moment; 0 for a subscription that was deleted and created again. */
        double rate(Moment<?> from, String subscription, double parts) {
            double seconds = Duration.between(from.at, at).toMillis() / 1000.0;
            long delivered = points.get(subscription).delivered()
                    - from.points.get(subscription).delivered();
            return seconds <= 0 ? 0 : Math.round(Math.max(0, delivered) / seconds * parts) / parts;
        }
    }

    /** @param samples oldest first */
    static History of(
            Instant from, Instant to, Duration interval, List<? extends Moment<?>> samples, List<Mark> marks) {
        List<Moment<?>> moments = withGaps(samples);
        Map<String, Series> subscriptions = new TreeMap<>();
        moments.stream()
                .flatMap(moment -> moment.points().keySet().stream())
                .distinct()
                .forEach(name -> subscriptions.put(
                        name,
                        new Series(
                                rates(name, moments, HUNDREDTHS),
                                values(name, moments, Point::lagSeconds),
                                values(name, moments, Point::backlog),
                                values(name, moments, Point::latencyMillis))));
        return new History(
                from,
                to,
                (int) interval.toSeconds(),
                moments.stream().<Instant>map(Moment::at).toList(),
                subscriptions,
                marks);
    }

    /** The samples, and an empty one where some are missing, so that a line does not continue there. */
    private static List<Moment<?>> withGaps(List<? extends Moment<?>> samples) {
        List<Moment<?>> all = new ArrayList<>();
        Moment<?> before = null;
        for (Moment<?> moment : samples) {
            if (before != null) {
                Duration since = Duration.between(before.at(), moment.at());
                if (since.compareTo(before.longest()) > 0 && since.compareTo(moment.longest()) > 0) {
                    all.add(new Moment<>(before.at().plus(since.dividedBy(2)), Map.of(), since));
                }
            }
            all.add(moment);
            before = moment;
        }
        return all;
    }

    private static <T> List<T> values(String subscription, List<Moment<?>> moments, Function<Point, T> value) {
        return moments.stream()
                .<Point>map(moment -> moment.points().get(subscription))
                .map(point -> point == null ? null : value.apply(point))
                .toList();
    }

    /** For each moment the rate since the previous one; null when the subscription is missing in one of them. */
    static List<Double> rates(String subscription, List<? extends Moment<?>> moments, double parts) {
        List<Double> rates = new ArrayList<>();
        Moment<?> before = null;
        for (Moment<?> moment : moments) {
            boolean known = before != null
                    && before.points().containsKey(subscription)
                    && moment.points().containsKey(subscription);
            rates.add(known ? moment.rate(before, subscription, parts) : null);
            before = moment;
        }
        return Collections.unmodifiableList(rates);
    }
}
