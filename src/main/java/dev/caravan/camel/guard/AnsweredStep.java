package dev.caravan.camel.guard;

import dev.caravan.camel.headers.AnswerCharset;
import dev.caravan.camel.headers.DescribingHeaders;
import dev.caravan.camel.headers.RowHeaders;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.NamedNode;
import org.apache.camel.Processor;
import org.apache.camel.model.DynamicRouterDefinition;
import org.apache.camel.model.EnrichDefinition;
import org.apache.camel.model.PollDefinition;
import org.apache.camel.model.PollEnrichDefinition;
import org.apache.camel.model.RecipientListDefinition;
import org.apache.camel.model.RoutingSlipDefinition;
import org.apache.camel.model.ToDefinition;
import org.apache.camel.model.ToDynamicDefinition;
import org.apache.camel.processor.SendProcessor;

/** A step whose answer comes from outside: it does not change which message this is, nor how the next step sends it. */
final class AnsweredStep implements Around {
    private static final Set<Class<?>> COMPUTED = Set.of(
            ToDynamicDefinition.class,
            RecipientListDefinition.class,
            RoutingSlipDefinition.class,
            DynamicRouterDefinition.class,
            PollEnrichDefinition.class,
            PollDefinition.class);

    /** Endpoints that call routes, which may set any header, and those without an answer from outside. */
    private static final Set<String> NOT_ANSWERING = Set.of("kamelet", "kafka", "outbox", "cloud-event");

    private final boolean polls;
    private final boolean sendsBody;

    AnsweredStep(NamedNode step) {
        sendsBody = sendsBody(step);
        polls = step instanceof PollDefinition
                || step instanceof PollEnrichDefinition enrich && enrich.getAggregationStrategy() == null;
    }

    private static boolean sendsBody(NamedNode step) {
        return step instanceof RecipientListDefinition
                || step instanceof ToDefinition to && to.getVariableSend() == null
                || step instanceof ToDynamicDefinition computed && computed.getVariableSend() == null
                || step instanceof EnrichDefinition enrich && enrich.getVariableSend() == null;
    }

    /** @param processor the processor of the step */
    static boolean is(NamedNode step, Processor processor) {
        return COMPUTED.contains(step.getClass())
                || step instanceof EnrichDefinition enrich && enrich.getAggregationStrategy() == null
                || processor instanceof SendProcessor send && answers(send.getDestination());
    }

    /** Whether an endpoint gives an answer from outside. */
    static boolean answers(Endpoint endpoint) {
        return endpoint.isRemote()
                && !NOT_ANSWERING.contains(endpoint.getEndpointUri().replaceFirst(":.*", ""));
    }

    @Override
    public Runnable begin(Exchange exchange) {
        if (Part.of(exchange) == null) {
            return NOTHING;
        }
        AnswerCharset.forget(exchange);
        Object charset = AnswerCharset.before(exchange);
        Map<String, Object> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        if (polls) {
            headers.putAll(exchange.getMessage().getHeaders());
        }
        DescribingHeaders before = DescribingHeaders.of(exchange);
        Object body = exchange.getMessage().getBody();
        Runnable refused = RefusedEntries.before(exchange, sendsBody);
        return () -> {
            if (polls) {
                RowHeaders.receiveAll(exchange, headers);
            }
            AnswerCharset.receive(exchange, charset, body);
            before.restore(exchange);
            refused.run();
        };
    }
}
