package dev.caravan.camel.guard;

import java.util.Set;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.NamedNode;
import org.apache.camel.Processor;
import org.apache.camel.model.BeanDefinition;
import org.apache.camel.model.ClaimCheckDefinition;
import org.apache.camel.model.EnrichDefinition;
import org.apache.camel.model.PollDefinition;
import org.apache.camel.model.PollEnrichDefinition;
import org.apache.camel.model.ProcessDefinition;
import org.apache.camel.model.SetBodyDefinition;
import org.apache.camel.model.SetHeaderDefinition;
import org.apache.camel.model.SetPropertyDefinition;
import org.apache.camel.model.SetVariableDefinition;
import org.apache.camel.model.ToDefinition;
import org.apache.camel.model.ToDynamicDefinition;
import org.apache.camel.model.TransformDefinition;
import org.apache.camel.processor.SendProcessor;

/** Records in the {@link Part} whether the body after a step is an answer from outside. */
final class ReceivedAnswer implements Around {
    private static final Set<Class<?>> SETTING = Set.of(
            SetBodyDefinition.class,
            TransformDefinition.class,
            ProcessDefinition.class,
            BeanDefinition.class,
            ClaimCheckDefinition.class);

    private static final Set<Class<?>> STORING =
            Set.of(SetVariableDefinition.class, SetPropertyDefinition.class, SetHeaderDefinition.class);

    private final boolean enriches;
    /** The endpoint of the step, which gives answers; null if the step computes it. */
    private final String answering;
    /** Whether the step may store its answer elsewhere than in the body. */
    private final boolean mayStore;

    /** @param processor the processor of the step */
    ReceivedAnswer(NamedNode step, Processor processor) {
        enriches = step instanceof EnrichDefinition;
        answering = processor instanceof SendProcessor send && AnsweredStep.answers(send.getDestination())
                ? send.getDestination().getEndpointUri()
                : null;
        mayStore = enriches || step instanceof PollEnrichDefinition || variable(step) != null;
    }

    /** @param processor the processor of the step */
    static boolean is(NamedNode step, Processor processor) {
        return step instanceof EnrichDefinition || AnsweredStep.is(step, processor);
    }

    /** Whether a step may set the body itself: it may be a body that it was before the answer. */
    static boolean isSetting(NamedNode step) {
        return SETTING.contains(step.getClass());
    }

    /** Whether a step may store the body, which another one sets back. */
    static boolean isStoring(NamedNode step) {
        return STORING.contains(step.getClass());
    }

    private static String variable(NamedNode step) {
        if (step instanceof ToDefinition to) {
            return to.getVariableReceive();
        } else if (step instanceof ToDynamicDefinition to) {
            return to.getVariableReceive();
        }
        return step instanceof PollDefinition poll ? poll.getVariableReceive() : null;
    }

    /** For a step that may set the body itself. */
    static Around setBody(NamedNode step) {
        boolean mayUseAnswer = AnswerError.readsValue(step);
        boolean isApart = AnswerError.isApart(step);
        return exchange -> {
            Part part = store(exchange);
            return part == null
                    ? NOTHING
                    : () -> {
                        Object body = exchange.getMessage().getBody();
                        part.answer(
                                body == null && isApart
                                        ? part.answer().removed()
                                        : part.answer().set(body, mayUseAnswer));
                    };
        };
    }

    /** For a step that may store the body. */
    static Runnable storeBody(Exchange exchange) {
        store(exchange);
        return NOTHING;
    }

    private static Part store(Exchange exchange) {
        Part part = Part.of(exchange);
        if (part != null) {
            part.answer(part.answer().before(exchange.getMessage().getBody()));
        }
        return part;
    }

    @Override
    public Runnable begin(Exchange exchange) {
        Part part = Part.of(exchange);
        if (part == null) {
            return NOTHING;
        }
        Object body = exchange.getMessage().getBody();
        Answer before = part.answer();
        return () -> end(exchange, part, body, before);
    }

    private void end(Exchange exchange, Part part, Object body, Answer before) {
        String uri =
                enriches ? part.enrichedFrom() : exchange.getProperty(ExchangePropertyKey.TO_ENDPOINT, String.class);
        boolean isNew = isNew(exchange, body);
        if (part.answer() != before) { // a route that the step has called has recorded its answer
            part.answer(isNew ? part.answer() : before.with(part.answer().from()));
        } else if ((isNew || mayStore) && answers(exchange, uri)) {
            part.answer(isNew ? before.received(uri, body) : before.with(uri));
        }
    }

    private static boolean isNew(Exchange exchange, Object before) {
        Object now = exchange.getMessage().getBody();
        return now != before || now == null && exchange.getMessage().getHeader(Exchange.HTTP_RESPONSE_CODE) != null;
    }

    /** An endpoint that a step has computed may be removed again. A file on the machine is no answer of a service. */
    private boolean answers(Exchange exchange, String uri) {
        if (uri == null || uri.startsWith("file:")) {
            return false;
        }
        Endpoint endpoint = uri.equals(answering) ? null : exchange.getContext().hasEndpoint(uri);
        return endpoint == null || AnsweredStep.answers(endpoint);
    }
}
