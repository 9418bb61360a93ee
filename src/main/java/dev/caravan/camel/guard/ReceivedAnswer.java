package dev.caravan.camel.guard;

import dev.caravan.camel.headers.AnswerCharset;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.NamedNode;
import org.apache.camel.Processor;
import org.apache.camel.ResolveEndpointFailedException;
import org.apache.camel.StreamCache;
import org.apache.camel.model.BeanDefinition;
import org.apache.camel.model.ClaimCheckDefinition;
import org.apache.camel.model.DynamicRouterDefinition;
import org.apache.camel.model.EnrichDefinition;
import org.apache.camel.model.PollDefinition;
import org.apache.camel.model.PollEnrichDefinition;
import org.apache.camel.model.ProcessDefinition;
import org.apache.camel.model.RoutingSlipDefinition;
import org.apache.camel.model.SetBodyDefinition;
import org.apache.camel.model.SetHeaderDefinition;
import org.apache.camel.model.SetHeadersDefinition;
import org.apache.camel.model.SetPropertyDefinition;
import org.apache.camel.model.SetVariableDefinition;
import org.apache.camel.model.SetVariablesDefinition;
import org.apache.camel.model.ToDefinition;
import org.apache.camel.model.ToDynamicDefinition;
import org.apache.camel.model.TransformDefinition;
import org.apache.camel.processor.SendProcessor;
import org.apache.camel.support.ExchangeHelper;

/** Records in the {@link Part} whether the body after a step is an answer from outside. */
final class ReceivedAnswer implements Around {
    private static final Set<Class<?>> SETTING = Set.of(
            SetBodyDefinition.class,
            TransformDefinition.class,
            ProcessDefinition.class,
            BeanDefinition.class,
            ClaimCheckDefinition.class);

    private static final Set<Class<?>> STORING = Set.of(
            SetVariableDefinition.class,
            SetVariablesDefinition.class,
            SetPropertyDefinition.class,
            SetHeaderDefinition.class,
            SetHeadersDefinition.class);

    private static final Pattern TEXT =
            Pattern.compile("text/|[^;]*(json|xml|/x-www-form-urlencoded)", Pattern.CASE_INSENSITIVE);

    private final boolean enriches;
    /** The endpoint of the step, which gives answers; null if the step computes it. */
    private final String answering;
    /** The variable that gets the answer in place of the body; null if there is none. */
    private final String variable;
    /** Whether the step may store its answer elsewhere than in the body. */
    private final boolean mayStore;
    /** Whether the step sends to several endpoints, each with the answer of the one before. */
    private final boolean slips;

    /** @param processor the processor of the step */
    ReceivedAnswer(NamedNode step, Processor processor) {
        enriches = step instanceof EnrichDefinition;
        answering = processor instanceof SendProcessor send && AnsweredStep.answers(send.getDestination())
                ? send.getDestination().getEndpointUri()
                : null;
        variable = variable(step);
        slips = step instanceof RoutingSlipDefinition || step instanceof DynamicRouterDefinition;
        mayStore = enriches || step instanceof PollEnrichDefinition || variable != null;
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
        } else if (step instanceof EnrichDefinition enrich) {
            return enrich.getVariableReceive();
        } else if (step instanceof PollEnrichDefinition enrich) {
            return enrich.getVariableReceive();
        }
        return step instanceof PollDefinition poll ? poll.getVariableReceive() : null;
    }

    /** For a step that may set the body itself. */
    static Around setBody(NamedNode step) {
        boolean mayUseAnswer = AnswerError.readsValue(step);
        boolean isApart = AnswerError.isApart(step);
        boolean isNull = AnswerError.isNull(step);
        return exchange -> {
            Part part = store(exchange);
            return part == null
                    ? NOTHING
                    : () -> {
                        Object body = exchange.getMessage().getBody();
                        Answer answer = part.answer();
                        boolean isRemoved =
                                body == null && (isNull || isApart && !(answer.wasEmpty() && part.hasPayload()));
                        part.answer(isRemoved ? answer.removed() : answer.set(body, mayUseAnswer));
                        if (!part.answer().isIn(body)) {
                            AnswerCharset.remove(exchange);
                        }
                    };
        };
    }

    /** For a step that may store the body. An answer is stored as text if it is text: bytes would be Base64 or a list of numbers elsewhere. */
    static Runnable storeBody(Exchange exchange) {
        Part part = store(exchange);
        Object body = exchange.getMessage().getBody();
        if (part == null || !part.answer().isIn(body)) {
            return NOTHING;
        }
        return () -> {
            String type = exchange.getMessage().getHeader(Exchange.CONTENT_TYPE, String.class);
            Stream.of(exchange.getMessage().getHeaders(), exchange.getVariables(), exchange.getProperties())
                    .forEach(values ->
                            values.replaceAll((name, value) -> value == body ? text(exchange, value, type) : value));
        };
    }

    private void storeText(Exchange exchange) {
        Object answer = ExchangeHelper.getVariable(exchange, variable);
        String type = exchange.getVariable("header:" + variable + "." + Exchange.CONTENT_TYPE, String.class);
        Object text = text(exchange, answer, type);
        if (text != answer) {
            ExchangeHelper.setVariable(exchange, variable, text);
        }
    }

    /** The text of bytes that have a content type of text, or none; anything else unchanged. */
    private static Object text(Exchange exchange, Object value, String type) {
        boolean isBytes = value instanceof byte[] || value instanceof StreamCache;
        if (!isBytes || type != null && !TEXT.matcher(type).lookingAt()) {
            return value;
        }
        try {
            byte[] bytes = exchange.getContext().getTypeConverter().convertTo(byte[].class, exchange, value);
            String name = exchange.getProperty(ExchangePropertyKey.CHARSET_NAME, "UTF-8", String.class);
            Charset charset = Charset.isSupported(name) ? Charset.forName(name) : StandardCharsets.UTF_8;
            return charset.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException | IllegalCharsetNameException e) {
            return value;
        } finally {
            if (value instanceof StreamCache cache) {
                cache.reset();
            }
        }
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
        Runnable charset = variable == null ? NOTHING : AnswerCharset.keep(exchange);
        Runnable ended = part.uses(slips, variable != null);
        return () -> {
            ended.run();
            end(exchange, part, body, before);
            charset.run();
        };
    }

    private void end(Exchange exchange, Part part, Object body, Answer before) {
        Exchange copy = enriches ? part.enriched() : exchange;
        String uri = copy == null ? null : copy.getProperty(ExchangePropertyKey.TO_ENDPOINT, String.class);
        boolean isNew = isNew(exchange, body);
        Answer now = part.answer();
        if (now != before) { // a route that the step has called has recorded its answer
            part.answer(isNew ? now : before.with(now.from()).empty(now.wasEmpty()));
        } else if ((isNew || mayStore) && answers(exchange, uri)) {
            Object answer =
                    variable == null ? copy.getMessage().getBody() : ExchangeHelper.getVariable(exchange, variable);
            part.received(isNew ? before.received(uri, body) : before.with(uri), answer == null);
            if (variable != null) {
                storeText(exchange);
            }
        }
    }

    private static boolean isNew(Exchange exchange, Object before) {
        Object now = exchange.getMessage().getBody();
        return now != before || now == null && exchange.getMessage().getHeader(Exchange.HTTP_RESPONSE_CODE) != null;
    }

    /** An endpoint that a step has computed may be removed again. A file on the machine is no answer of a service. */
    private boolean answers(Exchange exchange, String uri) {
        return uri != null && uri.equals(answering) && !uri.startsWith("file:") || gaveAnswer(exchange, uri);
    }

    static boolean gaveAnswer(Exchange exchange, String uri) {
        if (uri == null || uri.startsWith("file:")) {
            return false;
        }
        try {
            Endpoint endpoint = exchange.getContext().hasEndpoint(uri);
            return endpoint == null || AnsweredStep.answers(endpoint);
        } catch (ResolveEndpointFailedException e) {
            return true; // the uri of a computed endpoint may be one that Camel does not take
        }
    }
}
