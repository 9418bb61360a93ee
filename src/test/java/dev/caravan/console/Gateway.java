package dev.caravan.console;

import java.net.ConnectException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;

/** The destination of the routes of these tests, which name it by its class: accepts everything, unless it is unavailable. */
public final class Gateway implements Processor {
    private static final List<String> BODIES = new CopyOnWriteArrayList<>();
    private static volatile boolean unavailable;

    @Override
    public void process(Exchange exchange) throws ConnectException {
        if (unavailable) {
            throw new ConnectException("Connection refused");
        }
        BODIES.add(exchange.getMessage().getBody(String.class));
    }

    static void isUnavailable(boolean now) {
        unavailable = now;
    }

    /** The payloads that arrived. */
    static List<String> bodies() {
        return List.copyOf(BODIES);
    }
}
