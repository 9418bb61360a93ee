package dev.caravan.monitoring;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.camel.health.HealthCheckResultBuilder;
import org.apache.camel.impl.health.AbstractHealthCheck;

/** A check of Camel that is down as long as there is trouble. */
final class Check extends AbstractHealthCheck {
    /** What an unhealthy check makes of the relay. */
    enum Kind {
        /** It has to be restarted. */
        LIVE,
        /** It cannot work now. */
        READY
    }

    private final Kind kind;
    private final Supplier<Optional<String>> trouble;

    Check(String id, Kind kind, Supplier<Optional<String>> trouble) {
        super("caravan", id);
        this.kind = kind;
        this.trouble = trouble;
    }

    /** Something has to be done again and again, and was last done so long ago. */
    static Optional<String> overdue(String what, Duration since, Duration limit) {
        return since.compareTo(limit) <= 0
                ? Optional.empty()
                : Optional.of(what + " has not turned for " + since.toSeconds() + " s");
    }

    @Override
    public boolean isLiveness() {
        return kind == Kind.LIVE;
    }

    @Override
    public boolean isReadiness() {
        return kind == Kind.READY;
    }

    @Override
    protected void doCall(HealthCheckResultBuilder result, Map<String, Object> options) {
        trouble.get().ifPresentOrElse(text -> result.down().message(text), result::up);
    }
}
