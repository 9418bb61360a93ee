package dev.caravan.console.api;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import java.util.Optional;

/** Counts the changes that people request from this relay, by kind. Names of people are not tags, because there is no bound for them. */
public final class ChangeMeters {
    private static final String NAMES = "caravan.";

    private final Optional<MeterRegistry> registry;

    /**
     * @param registry empty if metrics are disabled
     * @param kinds counted from 0 on, so that the first change is an increase
     */
    public ChangeMeters(Optional<MeterRegistry> registry, Collection<String> kinds) {
        this.registry = registry;
        registry.ifPresent(meters -> kinds.forEach(kind -> counter(meters, kind)));
    }

    /** @param kind such as {@code pause}, one of a fixed set */
    public void changed(String kind) {
        registry.ifPresent(meters -> counter(meters, kind).increment());
    }

    private static Counter counter(MeterRegistry meters, String kind) {
        return Counter.builder(NAMES + "changes")
                .tag("kind", kind)
                .description("Changes by people through the HTTP API or the console of this relay")
                .register(meters);
    }
}
