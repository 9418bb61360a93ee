package dev.caravan.camel.template;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.camel.FieldException;
import dev.caravan.camel.guard.WholeBatch;
import java.util.function.Supplier;
import org.apache.camel.Exchange;

/**
 * Where names are looked up: a message, or within a section of a template an element of a list. A field that an element lacks is
 * looked up in what surrounds it.
 */
final class Scope {
    /** A template with sections in sections may repeat a list for each of its elements. */
    private static final int MOST_ELEMENTS = 10_000_000;

    private final Exchange exchange;
    private final Supplier<JsonNode> json;
    /** Null for the message itself. */
    private final Scope outer;

    private final String list;
    private final int index;
    private int elements;

    private Scope(Exchange exchange, Supplier<JsonNode> json, Scope outer, String list, int index) {
        this.exchange = exchange;
        this.json = json;
        this.outer = outer;
        this.list = list;
        this.index = index;
    }

    static Scope of(Exchange exchange) {
        return new Scope(exchange, Payload.lazy(exchange), null, "", 0);
    }

    /**
     * @param index the number of the element in the list, or -1 for the value of a field
     * @throws FieldException if a template has used too many elements for one message
     */
    Scope element(String list, int index, JsonNode value) {
        Scope message = message();
        if (++message.elements > MOST_ELEMENTS) {
            throw new FieldException("The lists of the message are too long for the template: it repeats more than "
                    + MOST_ELEMENTS + " elements");
        }
        return new Scope(exchange, () -> value, this, list, index);
    }

    private Scope message() {
        Scope scope = this;
        while (scope.outer != null) {
            scope = scope.outer;
        }
        return scope;
    }

    /** The field, or the missing node. */
    JsonNode field(FieldPath path) {
        Scope scope = this;
        while (scope.outer != null && !path.beginsIn(scope.value())) {
            scope = scope.outer;
        }
        return path.in(scope.value());
    }

    /** The element, or the payload of the message. */
    JsonNode value() {
        return json.get();
    }

    JsonNode payload() {
        return message().value();
    }

    Object header(String name) {
        return WholeBatch.header(exchange, name);
    }

    Object variable(String name) {
        return exchange.getVariable(name);
    }

    /** What people call the message in an error. */
    String root() {
        return message().place();
    }

    /** What people call this place in an error: the payload, the answer, or an element such as {@code items[2]}. */
    String place() {
        if (outer == null) {
            return Payload.name(exchange);
        }
        String name = index < 0 ? list : (list.equals(".") ? "" : list) + "[" + index + "]";
        return outer.outer == null ? name : outer.place() + (name.startsWith("[") ? "" : ".") + name;
    }
}
