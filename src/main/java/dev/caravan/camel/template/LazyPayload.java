package dev.caravan.camel.template;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Supplier;
import org.apache.camel.Exchange;

/** The payload of an exchange, parsed when it is first needed: a template that uses only headers does not require JSON. */
final class LazyPayload implements Supplier<JsonNode> {
    private final Exchange exchange;
    private JsonNode payload;

    LazyPayload(Exchange exchange) {
        this.exchange = exchange;
    }

    @Override
    public JsonNode get() {
        if (payload == null) {
            payload = Payload.of(exchange);
        }
        return payload;
    }
}
