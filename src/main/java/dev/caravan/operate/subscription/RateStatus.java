package dev.caravan.operate.subscription;

import dev.caravan.engine.lane.Rate;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The rate of a subscription and its use, as the owners of its lanes reported a few seconds ago.
 *
 * @param limit the option {@code rate} of the route
 * @param perSecond attempts per second
 * @param waiting whether messages have waited for the rate
 */
public record RateStatus(Rate limit, double perSecond, boolean waiting) {
    /** The use by all lanes; empty if no lane reports a rate. */
    static Optional<RateStatus> of(Collection<Optional<RateStatus>> lanes) {
        return lanes.stream()
                .flatMap(Optional::stream)
                .reduce((one, other) ->
                        new RateStatus(one.limit, one.perSecond + other.perSecond, one.waiting || other.waiting));
    }

    /** {@code limited to 50/s (now 23/s)}. */
    public String text() {
        return "limited to " + limit + " (now " + limit.measured(perSecond) + ")";
    }

    /** The JSON fields. */
    Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("limit", limit.toString());
        fields.put("now", limit.measured(perSecond));
        fields.put("waiting", waiting);
        return fields;
    }
}
