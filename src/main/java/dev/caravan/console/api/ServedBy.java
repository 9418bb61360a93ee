package dev.caravan.console.api;

import dev.caravan.camel.outbox.OutboxComponent;
import dev.caravan.engine.loop.RelayName;
import java.util.Optional;
import org.apache.camel.CamelContext;

/**
 * The process that serves the API.
 *
 * @param name shown to people
 * @param routes the context of its routes; empty if it runs none
 */
public record ServedBy(String name, Optional<CamelContext> routes) {
    /** A relay with its routes. */
    public static ServedBy relay(CamelContext routes) {
        return new ServedBy(routes.getComponent("outbox", OutboxComponent.class).getRelay(), Optional.of(routes));
    }

    /** A process without routes: they run in relays and applications. */
    public static ServedBy console() {
        return new ServedBy(RelayName.ofThisProcess(), Optional.empty());
    }
}
