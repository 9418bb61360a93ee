package dev.caravan.camel.guard;

import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePattern;
import org.apache.camel.model.AggregateDefinition;
import org.apache.camel.model.DynamicRouterDefinition;
import org.apache.camel.model.EnrichDefinition;
import org.apache.camel.model.MulticastDefinition;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.RecipientListDefinition;
import org.apache.camel.model.ResequenceDefinition;
import org.apache.camel.model.RoutingSlipDefinition;
import org.apache.camel.model.SetPropertyDefinition;
import org.apache.camel.model.SplitDefinition;
import org.apache.camel.model.WireTapDefinition;

/** Finds steps that process a copy of the message, or store the message, while the route ends. Explains what to use instead. */
public final class EarlyStep {
    static final String INSTEAD =
            "For a second destination, write another route from outbox: with its own name; to log, use the step log; for"
                    + " alerts, use the route dead-letter. earlyAcknowledge=true on the outbox endpoint allows"
                    + " the step; messages that fail there are then lost";

    /** Endpoints that a route of the same context reads. */
    private static final Set<String> CALLS = Set.of("direct", "kamelet");

    private static final Set<String> QUEUES = Set.of("seda", "vm", "disruptor", "disruptor-vm", "stub", "vertx");
    private static final String WAIT = "waitForTaskToComplete";

    private EarlyStep() {}

    /** Why a step ends the exchange early, and what to use instead; empty if it does not. */
    static Optional<String> of(ProcessorDefinition<?> step, UnaryOperator<String> resolved) {
        if (step instanceof WireTapDefinition<?>) {
            return Optional.of("sends a copy that the route does not wait for: if it fails, it is lost. " + INSTEAD);
        }
        if (step instanceof AggregateDefinition) {
            return Optional.of("stores messages in memory after they count as delivered. Remove it, and let the"
                    + " destination collect them; earlyAcknowledge=true on the outbox endpoint allows it");
        }
        if (step instanceof ResequenceDefinition) {
            return Optional.of(
                    "stores messages in memory after they count as delivered. Remove it: messages of a key are in"
                            + " order already, and order=strict orders all; earlyAcknowledge=true on the outbox endpoint allows it");
        }
        if (setsWait(step, resolved)) {
            return Optional.of("makes seda: continue before the message is delivered: remove it, and set " + WAIT
                    + " at the endpoint; earlyAcknowledge=true on the outbox endpoint allows it");
        }
        return timeout(step)
                .map(resolved)
                .filter(timeout -> !timeout.isBlank() && !timeout.equals("0"))
                .map(
                        timeout ->
                                "continues without its parts after the timeout: later failures in them are lost. Remove the"
                                        + " timeout, and set one at the endpoints; earlyAcknowledge=true on the outbox endpoint allows it");
    }

    private static boolean setsWait(ProcessorDefinition<?> step, UnaryOperator<String> resolved) {
        return step instanceof SetPropertyDefinition property
                && Exchange.ASYNC_WAIT.equals(resolved.apply(property.getName()));
    }

    private static Optional<String> timeout(ProcessorDefinition<?> step) {
        if (step instanceof MulticastDefinition multicast) {
            return Optional.ofNullable(multicast.getTimeout());
        }
        if (step instanceof SplitDefinition split) {
            return Optional.ofNullable(split.getTimeout());
        }
        return step instanceof RecipientListDefinition<?> recipients
                ? Optional.ofNullable(recipients.getTimeout())
                : Optional.empty();
    }

    /**
     * Why sending to an endpoint ends the exchange early.
     *
     * @param step the step that sends; null for an error handler
     * @param pattern of the step; null for none
     */
    static Optional<String> ofUri(ProcessorDefinition<?> step, String uri, String pattern) {
        String scheme = uri.replaceFirst(":.*", "");
        EndpointOptions options = new EndpointOptions(uri);
        boolean maySkip = CALLS.contains(scheme)
                && options.get("failIfNoConsumers").isPresent()
                && !options.has("failIfNoConsumers", "true");
        if (maySkip) {
            return Optional.of("continues without sending while no route reads from its endpoint. Remove"
                    + " failIfNoConsumers=false; earlyAcknowledge=true on the outbox endpoint allows it");
        }
        return step instanceof WireTapDefinition<?> || !QUEUES.contains(scheme) || waits(uri, options, pattern)
                ? Optional.empty()
                : Optional.of(
                        "puts the message into a queue in memory and continues: a message that fails after that is lost. Use direct:"
                                + " instead, or seda: with waitForTaskToComplete=Always. " + INSTEAD);
    }

    /** Why sending to an endpoint ends the exchange early. @param pattern of the exchange; null for none */
    public static Optional<String> ofEndpoint(Endpoint endpoint, ExchangePattern pattern) {
        String uri = Placeholders.uri(endpoint.getCamelContext(), null, endpoint.getEndpointUri());
        return ofUri(null, uri, pattern == null ? null : pattern.name());
    }

    /** Camel reads the pattern from the URI only in exactly this notation. It overrides the pattern of the step. */
    private static boolean waits(String uri, EndpointOptions options, String patternOfStep) {
        if (uri.startsWith("stub:")) {
            return false; // ignores the option, and without a consumer the pattern
        }
        if (options.get(WAIT).isPresent() && !options.has(WAIT, "IfReplyExpected")) {
            return options.has(WAIT, "Always");
        }
        return uri.contains("exchangePattern=InOut")
                || !uri.contains("exchangePattern=InOnly") && "InOut".equalsIgnoreCase(patternOfStep);
    }

    /** The delimiter of the addresses in the expression of a step, as a regular expression. */
    static String delimiter(ProcessorDefinition<?> step) {
        String delimiter = null;
        if (step instanceof RecipientListDefinition<?> recipients) {
            delimiter = recipients.getDelimiter();
        } else if (step instanceof RoutingSlipDefinition<?> slip) {
            delimiter = slip.getUriDelimiter();
        } else if (step instanceof DynamicRouterDefinition<?> router) {
            delimiter = router.getUriDelimiter();
        }
        return "\\s*" + (delimiter == null ? "," : Pattern.quote(delimiter)) + "\\s*";
    }

    /** Whether the expression of a step returns the endpoints to which it sends. */
    static boolean sendsToExpression(ProcessorDefinition<?> step) {
        return step instanceof RecipientListDefinition<?>
                || step instanceof RoutingSlipDefinition<?>
                || step instanceof DynamicRouterDefinition<?>
                || step instanceof EnrichDefinition;
    }
}
