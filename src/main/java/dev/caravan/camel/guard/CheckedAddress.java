package dev.caravan.camel.guard;

import dev.caravan.camel.FieldException;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.camel.step.FieldCopy;
import dev.caravan.camel.template.TemplateExpression;
import java.io.InputStream;
import java.io.Reader;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.Expression;
import org.apache.camel.NamedNode;
import org.apache.camel.Navigate;
import org.apache.camel.Processor;
import org.apache.camel.StreamCache;
import org.apache.camel.model.DynamicRouterDefinition;
import org.apache.camel.model.EnrichDefinition;
import org.apache.camel.model.ExpressionNode;
import org.apache.camel.model.PollEnrichDefinition;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.RecipientListDefinition;
import org.apache.camel.model.RoutingSlipDefinition;
import org.apache.camel.model.SetHeaderDefinition;
import org.apache.camel.model.SetHeadersDefinition;
import org.apache.camel.model.ToDynamicDefinition;
import org.apache.camel.model.WireTapDefinition;
import org.apache.camel.model.language.ExpressionDefinition;
import org.apache.camel.processor.DynamicRouter;
import org.apache.camel.processor.Enricher;
import org.apache.camel.processor.EvaluateExpressionProcessor;
import org.apache.camel.processor.PollEnricher;
import org.apache.camel.processor.RoutingSlip;
import org.apache.camel.processor.SendDynamicProcessor;
import org.apache.camel.processor.SetHeaderProcessor;
import org.apache.camel.processor.SetHeadersProcessor;
import org.apache.camel.processor.WireTapProcessor;
import org.apache.camel.processor.errorhandler.ErrorHandlerSupport;
import org.apache.camel.support.ObjectHelper;

/**
 * The expression with which a step computes addresses from a message, or a header with an address or a query. Its value is checked where Camel
 * evaluates it: another evaluation could give another value, and Camel evaluates that of a dynamicRouter again for each address.
 */
final class CheckedAddress implements Expression {
    private static final String PLACEHOLDER = "{{";
    private static final String EXPRESSIONS = "expressions";

    /** Packages of expressions whose text is that of the route. */
    private static final Set<String> OF_SIMPLE = Set.of("org.apache.camel.builder", "org.apache.camel.support.builder");

    /** The text of an expression with a block {@code $init}. */
    private static final String WITH_INIT = "concat(";

    private static final Set<String> ADDRESSES = Set.of("camelhttpuri", "camelresthttpuri");
    private static final Set<String> QUERIES = Set.of("camelhttpquery", "camelhttprawquery", "camelresthttpquery");

    /** Addresses from which Camel would take the host null, or another port. */
    private static final Pattern NOT_OPTIMISED =
            Pattern.compile("[^?]*://\\[|http:[^?]*:443(?:[/?]|$)|https:[^?]*:80(?:[/?]|$)", Pattern.CASE_INSENSITIVE);

    private static final String KAFKA = "kafka:";
    /** Whether a message gives the whole address or the topic of Kafka. */
    private static final Pattern TOPIC_OF_MESSAGE =
            Pattern.compile("^" + AddressTemplate.VALUE + "|kafka:[^?,]*" + AddressTemplate.VALUE);

    private static final Set<String> NAMES = Set.of(
            "camelhttppath",
            "camelfilename",
            "cameloverrulefilename",
            "camelkafkaoverridetopic",
            "kafka.override_topic",
            "cameljmsdestinationname");

    private static final Set<String> RECIPIENTS = Set.of("to", "cc", "bcc");

    private static final String STATEMENT = "camelsqlquery";

    private static final Set<Class<?>> COMPUTING = Set.of(
            DynamicRouterDefinition.class,
            EnrichDefinition.class,
            PollEnrichDefinition.class,
            RecipientListDefinition.class,
            RoutingSlipDefinition.class);

    /** Templates that escape values, or whose text is not known. */
    private static final Pattern UNCHECKED =
            Pattern.compile("language:(?://)?(?:(?:json|html|slack)-template:|text-template:\\s*file:)");

    private final Expression address;
    private final Check check;
    private final UnaryOperator<String> sendable;
    private final boolean mayThrow;

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

    private CheckedAddress(Expression address, Check check, UnaryOperator<String> sendable, boolean mayThrow) {
        this.address = address;
        this.check = check;
        this.sendable = sendable;
        this.mayThrow = mayThrow;
    }

    /** Checks the addresses that a step computes. No effect if it computes none. @param sending the processor of the step */
    static void begin(CamelContext context, NamedNode step, Processor sending) {
        if (step instanceof SetHeadersDefinition several && sending instanceof SetHeadersProcessor) {
            checkHeaders(context, several, sending);
        } else if (step instanceof SetHeaderDefinition header && sending instanceof SetHeaderProcessor) {
            Place place = new Place(SetHeaderProcessor.class, sending);
            place.expression().ifPresent(expression -> place.set(ofHeader(context, header, expression)));
        } else if (sending instanceof WireTapProcessor tap) {
            begin(context, step, FieldCopy.value(WireTapProcessor.class, "dynamicSendProcessor", tap, Processor.class));
        } else {
            if (sending instanceof SendDynamicProcessor send
                    && NOT_OPTIMISED.matcher(send.getUri()).lookingAt()) {
                send.setAllowOptimisedComponents(false);
            }
            place(step, sending).ifPresent(place -> place.expression()
                    .ifPresent(expression -> place.set(new CheckedAddress(
                            expression,
                            check(context, step, sending, expression),
                            sendable(context, expression, delimiter(step, sending), sending),
                            !(sending instanceof DynamicRouter)))));
        }
    }

    private static void checkHeaders(CamelContext context, SetHeadersDefinition step, Processor sending) {
        List<?> expressions = FieldCopy.value(SetHeadersProcessor.class, EXPRESSIONS, sending, List.class);
        List<Expression> checked = new ArrayList<>();
        for (int i = 0; i < expressions.size(); i++) {
            checked.add(ofHeader(context, step.getHeaders().get(i), (Expression) expressions.get(i)));
        }
        FieldCopy.set(SetHeadersProcessor.class, EXPRESSIONS, sending, checked);
    }

    private static Expression ofHeader(CamelContext context, SetHeaderDefinition step, Expression expression) {
        String name = step.getName().toLowerCase(Locale.ROOT);
        Optional<Consumer<String>> check = Optional.empty();
        if (QUERIES.contains(name)) {
            check = text(context, expression).flatMap(AddressTemplate::ofQuery).map(template -> template::require);
        } else if (ADDRESSES.contains(name)) {
            check = text(context, expression)
                    .flatMap(AddressTemplate::ofRequest)
                    .map(template -> template::require);
        } else if (RECIPIENTS.contains(name)) {
            check = text(context, expression)
                    .flatMap(RecipientTemplate::ofHeader)
                    .map(template -> template::require);
        } else if (NAMES.contains(name) || FileName.isOfHeader(name)) {
            check = name(context, name, expression);
        } else if (name.equals(STATEMENT)) {
            check = text(context, expression)
                    .flatMap(StatementTemplate::ofHeader)
                    .map(template -> template::require);
        }
        return check.<Expression>map(
                        each -> new CheckedAddress(expression, fitting(each), UnaryOperator.identity(), true))
                .orElse(expression);
    }

    /** What is wrong with a step that computes an address or such a header in a way whose values cannot be checked; empty if nothing is. */
    static Optional<String> mistake(ProcessorDefinition<?> step) {
        Stream<String> texts = Stream.empty();
        if (step instanceof ToDynamicDefinition toD && toD.getUri() != null) {
            texts = Stream.of(toD.getUri());
        } else if (step instanceof SetHeaderDefinition header && isChecked(header.getName())) {
            texts = Stream.of(text(header.getExpression()));
        } else if (step instanceof SetHeadersDefinition several) {
            texts = several.getHeaders().stream()
                    .filter(header -> isChecked(header.getName()))
                    .map(header -> text(header.getExpression()));
        } else if (step instanceof ExpressionNode node && COMPUTING.contains(step.getClass())) {
            texts = Stream.of(text(node.getExpression()));
        }
        return texts.filter(text -> UNCHECKED.matcher(text).lookingAt())
                .findFirst()
                .map(text ->
                        "computes an address, a name or a statement with a template of which it is not known what is"
                                + " a value of the message: a value could add a receiver or a parameter. Use simple, or"
                                + " text-template with its text in the route");
    }

    private static String text(ExpressionDefinition expression) {
        return expression == null
                ? ""
                : "language:" + expression.getLanguage() + ":"
                        + Objects.requireNonNullElse(expression.getExpression(), "")
                                .strip();
    }

    private static boolean isChecked(String header) {
        String name = Objects.requireNonNullElse(header, "").toLowerCase(Locale.ROOT);
        return Stream.of(QUERIES, ADDRESSES, RECIPIENTS, NAMES, Set.of(STATEMENT))
                        .anyMatch(names -> names.contains(name))
                || FileName.isOfHeader(name);
    }

    private static Optional<Consumer<String>> name(CamelContext context, String header, Expression expression) {
        Optional<Consumer<String>> filled = NAMES.contains(header) ? filledName(context, expression) : Optional.empty();
        if (!FileName.isOfHeader(header)) {
            return filled;
        }
        Consumer<String> ofFile = fileName(context, expression);
        return Optional.of(filled.map(ofFile::andThen).orElse(ofFile));
    }

    /** Checks the name of a file that an option of an endpoint computes. */
    static Expression ofFileName(CamelContext context, Expression expression) {
        Consumer<String> ofFile = fileName(context, expression);
        Consumer<String> filled =
                filledName(context, expression).map(ofFile::andThen).orElse(ofFile);
        return new CheckedAddress(expression, fitting(filled), UnaryOperator.identity(), true);
    }

    private static Optional<Consumer<String>> filledName(CamelContext context, Expression expression) {
        return text(context, expression).flatMap(AddressTemplate::ofName);
    }

    private static Consumer<String> fileName(CamelContext context, Expression expression) {
        String ofRoute = text(context, expression)
                .flatMap(AddressTemplate::sample)
                .orElse(isSimple(expression) ? expression.toString() : ""); // the text of a constant is itself
        return name -> FileName.require(name, ofRoute);
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

    private static Check check(CamelContext context, NamedNode step, Processor sending, Expression expression) {
        Optional<String> text = text(context, expression);
        List<Check> fitting = new ArrayList<>();
        String delimiter = delimiter(step, sending);
        text.flatMap(each -> AddressTemplate.ofStep(each, delimiter)).ifPresent(template -> {
            fitting.add(fitting(template::require)); // each address is there
            fitting.addAll(ofEach(text.orElseThrow(), delimiter));
        });
        // in a constant Camel finds the placeholders of the route, and has resolved those of other expressions
        boolean mayHavePlaceholder = text.isEmpty() && expression.toString().contains(PLACEHOLDER);
        boolean namesTopic = namesTopic(step, text);
        Check ofMessage = (address, exchange) -> {
            if (!mayHavePlaceholder) {
                refusePlaceholder(address);
            }
            fitting.forEach(each -> each.of(address, exchange));
            if (namesTopic && address != null && address.contains(KAFKA)) {
                exchange.setProperty(OutboxConstants.COMPUTED, address);
            }
        };
        return step instanceof ToDynamicDefinition toD && !(step instanceof WireTapDefinition<?>)
                ? required(context, toD, ofMessage)
                : ofMessage;
    }

    /** Checks the statement or the recipients of each address that a text gives. */
    private static List<Check> ofEach(String text, String delimiter) {
        String sample = AddressTemplate.sample(text).orElseThrow();
        String value = AddressTemplate.hasEmpty(text, sample) ? "${''}" : "${value}";
        List<Check> checks = new ArrayList<>();
        List<String> ofRoute = AddressTemplate.addresses(sample, delimiter);
        for (int i = 0; i < ofRoute.size(); i++) {
            int at = i;
            String each = ofRoute.get(i).strip().replace(String.valueOf(AddressTemplate.VALUE), value);
            UnaryOperator<String> given =
                    all -> AddressTemplate.addresses(all, delimiter).get(at).strip();
            StatementTemplate.ofStep(each)
                    .ifPresent(template -> checks.add(fitting(all -> template.requireStep(given.apply(all)))));
            RecipientTemplate.ofStep(each)
                    .ifPresent(template -> checks.add(fitting(all -> template.require(given.apply(all)))));
        }
        return checks;
    }

    /** Whether a message may name the topic to which a step sends it. @param text that of {@link #text} */
    private static boolean namesTopic(NamedNode step, Optional<String> text) {
        return text.flatMap(AddressTemplate::sample)
                .map(sample -> TOPIC_OF_MESSAGE.matcher(sample).find())
                .orElseGet(() -> step instanceof ExpressionNode node
                        && !Set.of("constant", "simple")
                                .contains(node.getExpression().getLanguage()));
    }

    private static Check fitting(Consumer<String> require) {
        return (address, exchange) -> {
            if (address != null) {
                require.accept(address);
            }
        };
    }

    /** What separates the addresses that a step computes; empty if it computes one only. */
    private static String delimiter(NamedNode step, Processor sending) {
        String delimiter = "";
        if (step instanceof RecipientListDefinition<?> list) {
            delimiter = Objects.requireNonNullElse(list.getDelimiter(), ",");
        } else if (sending instanceof RoutingSlip slip) {
            delimiter = slip.getUriDelimiter();
        }
        return delimiter.equals("false") ? "" : delimiter;
    }

    /**
     * What Camel must get, so that the receiver gets the path and the query that a text says. Camel decodes the path once or twice before Java reads it.
     *
     * @param delimiter what separates the addresses of a text; empty if it is one
     */
    private static UnaryOperator<String> sendable(
            CamelContext context, Expression expression, String delimiter, Processor sending) {
        boolean isOptimised = isOptimised(context, sending);
        int times = isOptimised || sending instanceof Enricher || sending instanceof PollEnricher ? 1 : 2;
        String sample =
                text(context, expression).flatMap(AddressTemplate::sample).orElse("");
        List<String> ofRoute = AddressTemplate.addresses(sample, delimiter);
        return text -> {
            List<String> addresses = AddressTemplate.addresses(text, delimiter);
            for (int i = 0; i < addresses.size(); i++) {
                String route = i < ofRoute.size() ? ofRoute.get(i) : "";
                String given = addresses.get(i).stripLeading();
                String address = AddressQuery.asWritten(given, route.stripLeading(), isOptimised);
                boolean isOne = delimiter.isEmpty() || !address.contains(delimiter);
                String sendable = sendable(isOne ? address : given, route, times);
                addresses.set(i, AddressValues.asWritten(sendable, route.strip()));
            }
            String sent = String.join(delimiter, addresses);
            if (AddressTemplate.addresses(sent, delimiter).size() != addresses.size()) {
                throw new FieldException("A value of the message has a sign that must be encoded in an address that the"
                        + " route computes, and the delimiter of the step would divide it then");
            }
            return sent;
        };
    }

    /** Camel cuts off spaces at the end, as it should those of the route. */
    private static String sendable(String address, String sample, int times) {
        String route = sample.stripTrailing();
        if (!AddressTemplate.endsWithValue(route)) {
            return AddressPath.sendable(address.stripTrailing(), times);
        }
        int ofRoute = sample.length() - route.length();
        return AddressPath.sendable(address.substring(0, Math.max(0, address.length() - ofRoute)), times);
    }

    /** Whether Camel sends the path and the query in headers. */
    private static boolean isOptimised(CamelContext context, Processor sending) {
        return sending instanceof SendDynamicProcessor send
                && send.isAllowOptimisedComponents()
                && Placeholders.resolved(context, null, send.getUri()).startsWith("http");
    }

    /**
     * The text of an expression in the language simple or text-template, with its settings; empty if it is in another language, has no value of a
     * message, or lacks a setting.
     */
    private static Optional<String> text(CamelContext context, Expression expression) {
        String text = expression instanceof TemplateExpression template ? template.inSimple() : expression.toString();
        boolean isKnown = isSimple(expression) || expression instanceof TemplateExpression;
        if (!isKnown || !AddressTemplate.BEGIN.matcher(text).find()) {
            return Optional.empty();
        }
        try {
            return Optional.of(context.resolvePropertyPlaceholders(text));
        } catch (RuntimeException e) {
            return Optional.empty(); // is reported when it is evaluated
        }
    }

    private static boolean isSimple(Expression expression) {
        return OF_SIMPLE.contains(expression.getClass().getPackageName())
                && !expression.toString().startsWith(WITH_INIT);
    }

    /**
     * Fails a message with such a text in an address, also percent-encoded: Camel would replace it by a setting, which may be a secret, and
     * does so in options after it has decoded them.
     */
    private static void refusePlaceholder(String address) {
        if (address != null && AddressPath.decoded(address).contains(PLACEHOLDER)) {
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
            Part part = Part.of(exchange);
            if (address == null && part != null && !mayBeInvalid) {
                throw new IllegalArgumentException("The message has no address: the step toD was evaluated to null");
            }
            others.of(address, exchange);
            MemoryQueues.refuse(exchange, address == null ? "" : address, pattern);
            if (part != null) {
                part.sendNext(pattern);
            }
        };
    }

    @Override
    public void init(CamelContext context) {
        address.init(context);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T evaluate(Exchange exchange, Class<T> type) {
        if (!OwnExchanges.isOwn(exchange)) {
            return address.evaluate(exchange, type);
        }
        try {
            return (T) checked(address.evaluate(exchange, type), exchange);
        } catch (RuntimeException e) {
            if (mayThrow) {
                throw e;
            }
            exchange.setException(e); // a dynamicRouter does not catch it, and the message would never end
            return null;
        }
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
        if (value instanceof String
                || value instanceof StreamCache
                || value instanceof InputStream
                || value instanceof Reader) {
            return text == null ? null : sendable.apply(text);
        }
        ObjectHelper.createIterator(value, null).forEachRemaining(one -> check.of(text(one, exchange), exchange));
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
