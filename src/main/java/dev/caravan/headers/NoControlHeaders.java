package dev.caravan.headers;

import org.apache.camel.Exchange;
import org.apache.camel.spi.HeaderFilterStrategy;

/** Filters out headers that control Camel's components, such as {@code kafka.KEY}, in addition to the endpoint's own rules. */
class NoControlHeaders implements HeaderFilterStrategy {
    private final HeaderFilterStrategy rules;

    /** @param rules the endpoint's own rules; may be null */
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
