package dev.caravan.camel.monitoring;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.camel.health.HealthCheckResultBuilder;
import org.apache.camel.impl.health.AbstractHealthCheck;

/** A Camel health check that is DOWN while a problem exists, or one that only describes a state. */
public final class Check extends AbstractHealthCheck {
    /** The consequence of a failed check. */
    public enum Kind {
        /** Liveness: the relay must be restarted. */
        LIVE,
        /** Readiness: the relay cannot work now. */
        READY,
        /** Never DOWN, because a restart of the relay would not change the state. */
        STATE
    }

    private final Kind kind;
    private final Supplier<Optional<String>> message;

    /** @param problem empty while there is none */
    public Check(String id, Kind kind, Supplier<Optional<String>> problem) {
        super("caravan", id);
        this.kind = kind;
        this.message = problem;
    }

    public static Check ofState(String id, Supplier<String> state) {
        return new Check(id, Kind.STATE, () -> Optional.of(state.get()));
    }

    /**
     * The problem of a periodic activity that has not completed within its limit.
     *
     * @param activity its name, as the start of a sentence
     * @param since time since it last completed
     */
    static Optional<String> overdue(String activity, Duration since, Duration limit) {
        return since.compareTo(limit) <= 0
                ? Optional.empty()
                : Optional.of(activity + " has not completed a turn for " + since.toSeconds() + " s");
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
        Optional<String> text = message.get();
        (text.isEmpty() || kind == Kind.STATE ? result.up() : result.down()).message(text.orElse(null));
    }
}
