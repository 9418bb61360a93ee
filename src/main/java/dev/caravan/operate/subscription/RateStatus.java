package dev.caravan.operate.subscription;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.caravan.engine.lane.Rate;
import java.util.Collection;
import java.util.Optional;

/**
 * The rate of a subscription and its use, as the owners of its lanes reported a few seconds ago.
 *
 * @param limit the option {@code rate} of the route
 * @param perSecond attempts per second
 * @param waiting whether messages have waited for the rate
 */
@JsonPropertyOrder({"limit", "now", "waiting"})
public record RateStatus(Rate limit, @JsonIgnore double perSecond, boolean waiting) {
    /** The use by all lanes; empty if no lane reports a rate. */
    static Optional<RateStatus> of(Collection<Optional<RateStatus>> lanes) {
        return lanes.stream()
                .flatMap(Optional::stream)
                .reduce((one, other) ->
                        new RateStatus(one.limit, one.perSecond + other.perSecond, one.waiting || other.waiting));
    }

    /** The measured rate, such as {@code 23/s}. */
    @JsonProperty
    String now() {
        return limit.measured(perSecond);
    }

    /** {@code limited to 50/s (now 23/s)}. */
    public String text() {
        return "limited to " + limit + " (now " + now() + ")";
    }
}
