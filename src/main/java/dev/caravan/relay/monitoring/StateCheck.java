package dev.caravan.relay.monitoring;

import java.util.Map;
import java.util.function.Supplier;
import org.apache.camel.health.HealthCheckResultBuilder;
import org.apache.camel.impl.health.AbstractHealthCheck;

/** A Camel health check that describes a state. Never DOWN, because a restart of the relay would not change the state. */
final class StateCheck extends AbstractHealthCheck {
    private final Supplier<String> state;

    StateCheck(String id, Supplier<String> state) {
        super("caravan", id);
        this.state = state;
    }

    @Override
    public boolean isLiveness() {
        return false;
    }

    @Override
    public boolean isReadiness() {
        return false;
    }

    @Override
    protected void doCall(HealthCheckResultBuilder result, Map<String, Object> options) {
        result.up().message(state.get());
    }
}
