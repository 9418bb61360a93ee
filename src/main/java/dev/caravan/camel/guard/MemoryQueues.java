package dev.caravan.camel.guard;

import java.net.URISyntaxException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.spi.CamelEvent;
import org.apache.camel.spi.ManagementStrategy;
import org.apache.camel.support.SimpleEventNotifierSupport;
import org.apache.camel.util.URISupport;

/**
 * Endpoints that continue before the delivery: queues in memory, and calls of routes that may be missing. A route that names one does not
 * start. A message that is sent to one at an address that is computed for each message fails. Other endpoints, also of components that
 * Caravan does not know, return when they have delivered or failed.
 */
final class MemoryQueues extends SimpleEventNotifierSupport {
    /** Endpoints that a route of the same context reads. */
    private static final Set<String> CALLS = Set.of("direct", "kamelet");

    private static final Set<String> QUEUES = Set.of("seda", "vm", "disruptor", "disruptor-vm", "stub", "vertx");
    private static final Pattern MAY_LOSE =
            Pattern.compile("\\{\\{|(direct|kamelet|seda|vm|disruptor|disruptor-vm|stub|vertx):");
    private static final String WAIT = "waitForTaskToComplete";

    private MemoryQueues() {
        setIgnoreCamelContextEvents(true);
        setIgnoreCamelContextInitEvents(true);
        setIgnoreRouteEvents(true);
        setIgnoreServiceEvents(true);
        setIgnoreExchangeEvents(false); // of those of exchanges only this kind, because it would get each of the others
        setIgnoreExchangeSendingEvents(false);
    }

    /**
     * Begins to observe to which endpoints the steps and beans of a context send messages. No effect if they are observed, or if the context
     * has no events yet.
     */
    static void observe(CamelContext context) {
        ManagementStrategy events = context.getManagementStrategy();
        if (events != null && events.getEventNotifiers().stream().noneMatch(MemoryQueues.class::isInstance)) {
            events.addEventNotifier(new MemoryQueues());
        }
    }

    /** Fails a message that is sent to such an endpoint. Camel does not let this refuse the send. */
    @Override
    public void notify(CamelEvent event) {
        if (event instanceof CamelEvent.ExchangeSendingEvent sending) {
            Exchange exchange = sending.getExchange();
            Part part = Part.of(exchange);
            if (part != null) {
                part.sending(exchange, sending.getEndpoint().getEndpointUri());
            }
        }
    }

    /**
     * Why a message that is sent to an endpoint must be sent again; empty if it need not.
     *
     * @param pattern the exchange pattern with which it is sent
     */
    static Optional<IllegalStateException> sentTo(Exchange exchange, String uri, String pattern) {
        return losing(exchange, uri, pattern)
                .map(reason -> new IllegalStateException(uri + " " + reason + SafeSteps.ALLOWED));
    }

    /** Refuses to send a message to a computed address. @param pattern the exchange pattern of the step that sends; null for none */
    static void refuse(Exchange exchange, String uri, String pattern) {
        if (Part.mustDeliver(exchange)) {
            sentTo(exchange, uri, pattern == null ? exchange.getPattern().name() : pattern)
                    .ifPresent(refusal -> {
                        throw refusal;
                    });
        }
    }

    private static Optional<String> losing(Exchange exchange, String uri, String pattern) {
        return MAY_LOSE.matcher(uri).lookingAt()
                ? losing(Placeholders.uri(exchange.getContext(), null, uri), pattern)
                : Optional.empty();
    }

    /**
     * Why a send to an endpoint ends before the delivery, and what to change; empty if it does not.
     *
     * @param pattern the exchange pattern of the step that sends; null for none
     */
    static Optional<String> losing(String uri, String pattern) {
        String scheme = uri.replaceFirst(":.*", "");
        Map<String, String> options = options(uri);
        if (CALLS.contains(scheme)
                && !options.getOrDefault("failifnoconsumers", "true").equalsIgnoreCase("true")) {
            return Optional.of("continues without sending while no route reads from its endpoint. Remove"
                    + " failIfNoConsumers=false");
        }
        return QUEUES.contains(scheme) && !waits(uri, options.get(key(WAIT)), pattern)
                ? Optional.of(
                        "puts the message into a queue in memory and continues: a message that fails after that is lost."
                                + " Use direct: instead, or seda: with waitForTaskToComplete=Always. "
                                + SafeSteps.OTHER_ROUTE)
                : Optional.empty();
    }

    /** The options, none if the URI is invalid, which Camel refuses. As in Camel, case and dashes in their names are ignored. */
    private static Map<String, String> options(String uri) {
        Map<String, String> options = new HashMap<>();
        try {
            URISupport.parseQuery(URISupport.extractQuery(uri))
                    .forEach((name, value) -> options.put(key(name), String.valueOf(value)));
        } catch (URISyntaxException e) {
            options.clear();
        }
        return options;
    }

    private static String key(String name) {
        return name.replace("-", "").toLowerCase(Locale.ROOT);
    }

    /** Camel reads the pattern from the URI only in exactly this notation. It overrides the pattern of the step. */
    private static boolean waits(String uri, String wait, String patternOfStep) {
        if (uri.startsWith("stub:")) {
            return false; // ignores the option, and without a consumer the pattern
        }
        if (wait != null && !wait.equalsIgnoreCase("IfReplyExpected")) {
            return wait.equalsIgnoreCase("Always");
        }
        return uri.contains("exchangePattern=InOut")
                || !uri.contains("exchangePattern=InOnly") && "InOut".equalsIgnoreCase(patternOfStep);
    }
}
