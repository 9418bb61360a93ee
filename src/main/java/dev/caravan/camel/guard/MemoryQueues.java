package dev.caravan.camel.guard;

import java.net.URISyntaxException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.util.URISupport;

/**
 * Endpoints that continue before the delivery: queues in memory, and calls of routes that may be missing. A route that names one does not
 * start. A message that is sent to one at an address that is computed for each message fails. Other endpoints, also of components that
 * Caravan does not know, return when they have delivered or failed.
 */
final class MemoryQueues {
    /** Endpoints that a route of the same context reads. */
    private static final Set<String> CALLS = Set.of("direct", "kamelet");

    private static final Set<String> QUEUES = Set.of("seda", "vm", "disruptor", "disruptor-vm", "stub", "vertx");
    private static final Pattern MAY_LOSE =
            Pattern.compile("\\{\\{|(direct|kamelet|seda|vm|disruptor|disruptor-vm|stub|vertx):");
    private static final String WAIT = "waitForTaskToComplete";

    /**
     * Why a message that has been sent to the last endpoint of an exchange, or was put into a queue by it, must be sent again; null if it
     * need not.
     *
     * @param isQueued whether it is known that the exchange has continued before the delivery
     */
    static IllegalStateException sentTo(Exchange exchange, boolean isQueued) {
        String uri = exchange.getProperty(ExchangePropertyKey.TO_ENDPOINT, "", String.class);
        Optional<String> reason = losing(exchange, uri, exchange.getPattern().name());
        return reason.isPresent() || isQueued
                ? new IllegalStateException(
                        uri + " " + reason.orElse("continues before the delivery") + SafeSteps.ALLOWED)
                : null;
    }

    /** Refuses to send a message to a computed address. @param pattern the exchange pattern of the step that sends; null for none */
    static void refuse(Exchange exchange, String uri, String pattern) {
        if (Part.mustDeliver(exchange)) {
            losing(exchange, uri, pattern == null ? exchange.getPattern().name() : pattern)
                    .ifPresent(reason -> {
                        throw new IllegalStateException(uri + " " + reason + SafeSteps.ALLOWED);
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
