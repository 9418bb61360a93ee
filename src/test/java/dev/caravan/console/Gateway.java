package dev.caravan.console;

import java.net.ConnectException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.ValidationException;

/** The destination of the routes of these tests, which name it by its class: accepts everything but a country, unless it is unavailable. */
public final class Gateway implements Processor {
    private static final List<String> BODIES = new CopyOnWriteArrayList<>();
    private static volatile boolean unavailable;

    @Override
    public void process(Exchange exchange) throws ConnectException, ValidationException {
        if (unavailable) {
            throw new ConnectException("Connection refused");
        }
        String body = exchange.getMessage().getBody(String.class);
        if (body != null && body.contains("Atlantis")) {
            throw new ValidationException(exchange, "unknown country");
        }
        BODIES.add(body);
    }

    static void isUnavailable(boolean now) {
        unavailable = now;
    }

    /** The payloads that arrived. */
    static List<String> bodies() {
        return List.copyOf(BODIES);
    }
}
