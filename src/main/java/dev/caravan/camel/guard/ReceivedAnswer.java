package dev.caravan.camel.guard;

import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.NamedNode;
import org.apache.camel.Processor;
import org.apache.camel.model.EnrichDefinition;
import org.apache.camel.model.PollDefinition;
import org.apache.camel.model.PollEnrichDefinition;
import org.apache.camel.model.SetBodyDefinition;
import org.apache.camel.model.ToDefinition;
import org.apache.camel.model.ToDynamicDefinition;
import org.apache.camel.model.TransformDefinition;

/** Records in the {@link Part} whether the body after a step is an answer from outside. */
final class ReceivedAnswer implements Around {
    private final boolean intoVariable;

    ReceivedAnswer(NamedNode step) {
        intoVariable = variable(step) != null;
    }

    /** @param processor the processor of the step */
    static boolean is(NamedNode step, Processor processor) {
        return step instanceof EnrichDefinition || AnsweredStep.is(step, processor);
    }

    /** Whether a step sets the body itself: it may be the body that it was before the answer. */
    static boolean isSetting(NamedNode step) {
        return step instanceof SetBodyDefinition || step instanceof TransformDefinition;
    }

    private static String variable(NamedNode step) {
        if (step instanceof ToDefinition to) {
            return to.getVariableReceive();
        } else if (step instanceof ToDynamicDefinition to) {
            return to.getVariableReceive();
        } else if (step instanceof EnrichDefinition enrich) {
            return enrich.getVariableReceive();
        } else if (step instanceof PollEnrichDefinition enrich) {
            return enrich.getVariableReceive();
        }
        return step instanceof PollDefinition poll ? poll.getVariableReceive() : null;
    }

    /** For a step that sets the body itself. */
    static Runnable setBody(Exchange exchange) {
        Part part = Part.of(exchange);
        return part == null
                ? NOTHING
                : () -> part.answer(part.answer().settled(exchange.getMessage().getBody()));
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
        String uri = exchange.getProperty(ExchangePropertyKey.TO_ENDPOINT, String.class);
        boolean isAnswered = answers(exchange, uri);
        if (isNew(exchange, body)) {
            if (isAnswered) {
                part.answer(before.received(uri, body));
            }
        } else if (isAnswered && intoVariable) {
            part.answer(before.receivedBeside(uri, body));
        } else { // what a route behind enrich has received is not in the body
            part.answer(before.with(part.answer().from()));
        }
    }

    private static boolean isNew(Exchange exchange, Object before) {
        Object now = exchange.getMessage().getBody();
        return now != before || now == null && exchange.getMessage().getHeader(Exchange.HTTP_RESPONSE_CODE) != null;
    }

    /** An endpoint that a step has computed may be removed again. A file on the machine is no answer of a service. */
    private static boolean answers(Exchange exchange, String uri) {
        Endpoint endpoint = uri == null ? null : exchange.getContext().hasEndpoint(uri);
        return uri != null && !uri.startsWith("file:") && (endpoint == null || AnsweredStep.answers(endpoint));
    }
}
