package dev.caravan.headers;

import org.apache.camel.Exchange;
import org.apache.camel.spi.HeaderFilterStrategy;

/** Keeps headers that control Camel's components from leaving, such as {@code kafka.KEY}; the endpoint's own rules hold too. */
class NoControlHeaders implements HeaderFilterStrategy {
    private final HeaderFilterStrategy rules;

    /** @param rules of the endpoint; may be null */
    NoControlHeaders(HeaderFilterStrategy rules) {
        this.rules = rules;
    }

    @Override
    public boolean applyFilterToCamelHeaders(String name, Object value, Exchange exchange) {
        return name == null
                || ReservedNames.controls(name)
                || rules != null && rules.applyFilterToCamelHeaders(name, value, exchange);
    }

    @Override
    public boolean applyFilterToExternalHeaders(String name, Object value, Exchange exchange) {
        return rules != null && rules.applyFilterToExternalHeaders(name, value, exchange);
    }
}
