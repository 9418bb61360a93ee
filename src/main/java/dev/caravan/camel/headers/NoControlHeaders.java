package dev.caravan.camel.headers;

import org.apache.camel.Exchange;
import org.apache.camel.spi.HeaderFilterStrategy;

/**
 * Filters out headers that control Camel's components, such as {@code kafka.KEY}, those of an event for another kind of endpoint, and
 * logins of an earlier answer, in addition to the endpoint's own rules. From an answer it also filters out the headers that describe the
 * message: otherwise the receiver could change the id with which the next step sends it.
 */
public class NoControlHeaders implements HeaderFilterStrategy {
    private final HeaderFilterStrategy rules;
    private final String foreignEvents;

    /** @param rules the endpoint's own rules; may be null */
    public NoControlHeaders(HeaderFilterStrategy rules) {
        this(rules, EventHeaders.HTTP);
    }

    /** @param foreignEvents prefix of the headers of an event that this endpoint does not send */
    NoControlHeaders(HeaderFilterStrategy rules, String foreignEvents) {
        this.rules = rules;
        this.foreignEvents = foreignEvents;
    }

    /** Whether the endpoint's own rules are of a class, or none. */
    public final boolean hasOnly(Class<? extends HeaderFilterStrategy> ownRules) {
        return getClass() == NoControlHeaders.class && (rules == null || rules.getClass() == ownRules);
    }

    @Override
    public boolean applyFilterToCamelHeaders(String name, Object value, Exchange exchange) {
        return name == null
                || ReservedNames.controls(name)
                || EventHeaders.isForeign(foreignEvents, name, exchange)
                || ReservedNames.isOfALogin(name) && RowHeaders.isReceived(exchange, name, value)
                || rules != null && rules.applyFilterToCamelHeaders(name, value, exchange);
    }

    @Override
    public boolean applyFilterToExternalHeaders(String name, Object value, Exchange exchange) {
        return name == null
                || ReservedNames.controls(name)
                || RowHeaders.receive(exchange, name, value) && ReservedNames.isOfTheOutbox(name)
                || rules != null && rules.applyFilterToExternalHeaders(name, value, exchange);
    }
}
