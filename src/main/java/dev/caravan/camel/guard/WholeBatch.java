package dev.caravan.camel.guard;

import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.batch.BatchMessage;
import java.io.InputStream;
import java.io.Reader;
import java.util.List;
import java.util.Optional;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.model.FromDefinition;
import org.apache.camel.model.LogDefinition;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.ProcessorDefinitionHelper;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.SendDefinition;
import org.apache.camel.support.SimpleTypeConverter;

/**
 * Fails steps that read what only a single message has, when their exchange has a whole batch: the step would decide, or send, by a
 * value that is empty for all messages. The failure is retried, so that a corrected route delivers the messages.
 */
public final class WholeBatch {
    static final String INSTEAD = "Put the step into a split of ${body}, or remove batching";

    private static final List<Class<?>> TEXT = List.of(String.class, byte[].class, InputStream.class, Reader.class);

    private static final String LOGGED = "CamelOutboxLogged";

    private WholeBatch() {}

    /**
     * Makes the conversion of a batch to text or bytes fail: a step would send {@code batch of 3 messages}, and the messages would count as
     * delivered. Only a step that logs gets this text.
     */
    static void refuseText(CamelContext context) {
        TEXT.forEach(text -> context.getTypeConverterRegistry()
                .addTypeConverter(text, MessageBatch.class, new SimpleTypeConverter(false, WholeBatch::text)));
    }

    private static Object text(Class<?> type, Exchange exchange, Object batch) {
        if (type == String.class && exchange != null && exchange.getProperty(LOGGED) != null) {
            return batch.toString();
        }
        throw new IllegalStateException("The body is a batch, and the step needs text. Set the body to ${body.ndjson},"
                + " ${body.json} or ${body.lines} before, or put the step into a split of ${body}, or remove batching");
    }

    /** Whether the exchange of a step may have a batch. That of a route from {@code outbox:} without batching has one message. */
    static boolean mayPass(CamelContext context, ProcessorDefinition<?> step) {
        RouteDefinition route = ProcessorDefinitionHelper.getRoute(step);
        FromDefinition from = route == null ? null : route.getInput();
        if (from == null) {
            return true;
        }
        String uri = Placeholders.uri(context, route, String.valueOf(from.getEndpointUri()));
        return !uri.startsWith("outbox:") || uri.matches("(?s).*[?&]batching=(?!false(?:&|$)).*");
    }

    /** What is done around a step; empty if it reads nothing of a message. */
    static Optional<Around> around(CamelContext context, ProcessorDefinition<?> step) {
        if (step instanceof LogDefinition
                || step instanceof SendDefinition<?> send
                        && String.valueOf(send.getEndpointUri()).startsWith("log:")) {
            return Optional.of(WholeBatch::log);
        }
        StepReads reads = StepReads.of(context, step);
        return reads.isEmpty() ? Optional.empty() : Optional.of(exchange -> require(exchange, reads));
    }

    private static Runnable log(Exchange exchange) {
        if (Part.batch(exchange) == null) {
            return Around.NOTHING;
        }
        exchange.setProperty(LOGGED, true);
        return () -> exchange.removeProperty(LOGGED);
    }

    private static Runnable require(Exchange exchange, StepReads reads) {
        MessageBatch batch = Part.batch(exchange);
        if (batch != null) {
            reads.headers().forEach(name -> requireHeader(exchange, batch, name));
            if (reads.body().isPresent() && exchange.getMessage().getBody() instanceof MessageBatch) {
                throw new IllegalStateException(
                        "The body is a batch, and " + reads.body().get() + " reads one message. " + INSTEAD);
            }
        }
        return Around.NOTHING;
    }

    /**
     * Returns a header.
     *
     * @throws IllegalStateException if the exchange has a batch and lacks the header, and a message of the batch has it
     */
    public static Object header(Exchange exchange, String name) {
        Object value = exchange.getMessage().getHeader(name);
        MessageBatch batch = value == null ? Part.batch(exchange) : null;
        if (batch != null) {
            requireHeader(exchange, batch, name);
        }
        return value;
    }

    private static void requireHeader(Exchange exchange, MessageBatch batch, String name) {
        if (exchange.getMessage().getHeader(name) == null
                && batch.messages().stream().anyMatch(message -> has(message, name))) {
            throw new IllegalStateException("The exchange has a batch, and the header " + name
                    + " belongs to one message. Set the header in a step before, or put the step into a split of ${body},"
                    + " or remove batching");
        }
    }

    private static boolean has(BatchMessage message, String name) {
        boolean[] found = {false};
        message.forEachHeader((other, value) -> found[0] |= value != null && other.equalsIgnoreCase(name));
        return found[0];
    }
}
