package dev.caravan.camel.guard;

import dev.caravan.camel.FieldException;
import dev.caravan.camel.step.FieldCopy;
import java.io.InputStream;
import java.io.Reader;
import java.util.Iterator;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.Expression;
import org.apache.camel.NamedNode;
import org.apache.camel.Navigate;
import org.apache.camel.Processor;
import org.apache.camel.StreamCache;
import org.apache.camel.language.bean.BeanExpression;
import org.apache.camel.model.RecipientListDefinition;
import org.apache.camel.model.ToDynamicDefinition;
import org.apache.camel.model.WireTapDefinition;
import org.apache.camel.processor.Enricher;
import org.apache.camel.processor.EvaluateExpressionProcessor;
import org.apache.camel.processor.PollEnricher;
import org.apache.camel.processor.RoutingSlip;
import org.apache.camel.processor.SendDynamicProcessor;
import org.apache.camel.processor.errorhandler.ErrorHandlerSupport;
import org.apache.camel.support.ObjectHelper;

/**
 * The expression with which a step computes addresses from a message. Its value is checked where Camel evaluates it: another evaluation
 * could give another value, and Camel evaluates that of a dynamicRouter again for each address.
 */
final class CheckedAddress implements Expression {
    private static final String PLACEHOLDER = "{{";

    private final Expression address;
    private final Check check;

    /** What an address must be. */
    private interface Check {
        /** @param address null if there is none */
        void of(String address, Exchange exchange);
    }

    /** Where Camel has the expression of a step. It offers no way to set it. */
    private record Place(Class<?> type, Processor processor) {
        Optional<Expression> expression() {
            return Optional.ofNullable(FieldCopy.value(type, "expression", processor, Expression.class));
        }

        void set(Expression expression) {
            FieldCopy.set(type, "expression", processor, expression);
        }
    }

    private CheckedAddress(Expression address, Check check) {
        this.address = address;
        this.check = check;
    }

    /** Checks the addresses that a step computes. No effect if it computes none. @param sending the processor of the step */
    static void begin(CamelContext context, NamedNode step, Processor sending) {
        place(step, sending).ifPresent(place -> place.expression()
                .ifPresent(expression -> place.set(new CheckedAddress(expression, check(context, step, expression)))));
    }

    private static Optional<Place> place(NamedNode step, Processor sending) {
        if (step instanceof RecipientListDefinition<?>) {
            return Optional.of(evaluating(sending))
                    .filter(EvaluateExpressionProcessor.class::isInstance)
                    .map(processor -> new Place(EvaluateExpressionProcessor.class, processor));
        }
        return Stream.of(SendDynamicProcessor.class, RoutingSlip.class, Enricher.class, PollEnricher.class)
                .filter(type -> type.isInstance(sending))
                .map(type -> new Place(type, sending))
                .findFirst();
    }

    /** Camel makes two processors of recipientList, of which the first one evaluates, with an error handler of its own. */
    private static Processor evaluating(Processor recipientList) {
        Processor first = recipientList instanceof Navigate<?> both
                        && both.hasNext()
                        && both.next().get(0) instanceof Processor evaluating
                ? evaluating
                : recipientList;
        return first instanceof ErrorHandlerSupport handler ? handler.getOutput() : first;
    }

    private static Check check(CamelContext context, NamedNode step, Expression expression) {
        Check noPlaceholder =
                mayHavePlaceholder(expression) ? (address, exchange) -> {} : CheckedAddress::refusePlaceholder;
        return step instanceof ToDynamicDefinition toD && !(step instanceof WireTapDefinition<?>)
                ? required(context, toD, noPlaceholder)
                : noPlaceholder;
    }

    /** Whether the route itself may have written a placeholder: what a bean returns is not examined. */
    private static boolean mayHavePlaceholder(Expression expression) {
        return expression instanceof BeanExpression || expression.toString().contains(PLACEHOLDER);
    }

    /** Fails a message with such a text in an address. Camel would replace it by a setting, which may be a secret. */
    private static void refusePlaceholder(String address, Exchange exchange) {
        if (address != null && address.contains(PLACEHOLDER)) {
            throw new FieldException("The address that a step computes from the message has " + PLACEHOLDER
                    + ", the beginning of a placeholder");
        }
    }

    /**
     * Fails a message for which the address of a step {@code toD} is null, for example because the message lacks the header with the
     * address: Camel would send nothing and continue, and the message would count as delivered. The same for a queue in memory.
     */
    private static Check required(CamelContext context, ToDynamicDefinition step, Check others) {
        String pattern = step.getPattern() == null ? null : context.resolvePropertyPlaceholders(step.getPattern());
        boolean mayBeInvalid =
                Boolean.parseBoolean(context.resolvePropertyPlaceholders(step.getIgnoreInvalidEndpoint()));
        return (address, exchange) -> {
            if (address == null && !mayBeInvalid) {
                throw new IllegalArgumentException("The message has no address: the step toD was evaluated to null");
            }
            others.of(address, exchange);
            MemoryQueues.refuse(exchange, address == null ? "" : address, pattern);
            Part.of(exchange).sendNext(pattern);
        };
    }

    @Override
    public void init(CamelContext context) {
        address.init(context);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T evaluate(Exchange exchange, Class<T> type) {
        T value = address.evaluate(exchange, type);
        return Part.of(exchange) == null ? value : (T) checked(value, exchange);
    }

    /** Returns what can be read only once as something that can still be read. */
    private Object checked(Object value, Exchange exchange) {
        if (value instanceof Iterator<?> several) {
            return each(several, exchange);
        }
        String text = text(value, exchange);
        if (value instanceof StreamCache body) {
            body.reset(); // it may be the body of the message
        }
        check.of(text, exchange);
        if (value instanceof StreamCache || value instanceof InputStream || value instanceof Reader) {
            return text;
        }
        if (!(value instanceof String)) {
            ObjectHelper.createIterator(value, null).forEachRemaining(one -> check.of(text(one, exchange), exchange));
        }
        return value;
    }

    private Iterator<Object> each(Iterator<?> several, Exchange exchange) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return several.hasNext();
            }

            @Override
            public Object next() {
                return checked(several.next(), exchange);
            }
        };
    }

    /** As Camel converts an address. */
    private static String text(Object value, Exchange exchange) {
        if (value == null || value instanceof String) {
            return (String) value;
        }
        String text = exchange.getContext().getTypeConverter().tryConvertTo(String.class, exchange, value);
        return text == null ? value.toString() : text;
    }

    @Override
    public String toString() {
        return address.toString();
    }
}
