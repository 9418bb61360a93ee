package dev.caravan.operate.explain;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The subscriptions over some time.
 *
 * @param at the times of the samples, in order
 */
public record History(int intervalSeconds, List<Instant> at, Map<String, Series> subscriptions) {
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

    /** All subscriptions in a sample, by name. */
    record Moment<P extends Point>(Instant at, Map<String, P> points) {
        /** Messages delivered per second since an earlier moment; 0 for a subscription that was deleted and created again. */
        double rate(Moment<P> from, String subscription, double parts) {
            double seconds = Duration.between(from.at, at).toMillis() / 1000.0;
            long delivered = points.get(subscription).delivered()
                    - from.points.get(subscription).delivered();
            return seconds <= 0 ? 0 : Math.round(Math.max(0, delivered) / seconds * parts) / parts;
        }
    }

    /**
     * The history from samples in their order.
     *
     * @param parts of a second to which rates are rounded: 10 for tenths
     */
    static <P extends Point> History of(int intervalSeconds, List<Moment<P>> moments, double parts) {
        Map<String, Series> subscriptions = new TreeMap<>();
        moments.stream()
                .flatMap(moment -> moment.points().keySet().stream())
                .distinct()
                .forEach(name -> subscriptions.put(
                        name,
                        new Series(
                                rates(name, moments, parts),
                                values(name, moments, Point::lagSeconds),
                                values(name, moments, Point::backlog),
                                values(name, moments, Point::latencyMillis))));
        return new History(intervalSeconds, moments.stream().map(Moment::at).toList(), subscriptions);
    }

    private static <P extends Point, T> List<T> values(
            String subscription, List<Moment<P>> moments, Function<Point, T> value) {
        return moments.stream()
                .map(moment -> moment.points().get(subscription))
                .map(point -> point == null ? null : value.apply(point))
                .toList();
    }

    /** For each moment the rate since the previous one; null when the subscription is missing in one of them. */
    static <P extends Point> List<Double> rates(String subscription, List<Moment<P>> moments, double parts) {
        List<Double> rates = new ArrayList<>();
        Moment<P> before = null;
        for (Moment<P> moment : moments) {
            boolean known = before != null
                    && before.points().containsKey(subscription)
                    && moment.points().containsKey(subscription);
            rates.add(known ? moment.rate(before, subscription, parts) : null);
            before = moment;
        }
        return rates;
    }
}
