package dev.caravan.camel.guard;

import dev.caravan.camel.FieldException;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.camel.step.ExactHttp;
import dev.caravan.camel.step.FieldCopy;
import dev.caravan.camel.template.TemplateExpression;
import java.io.InputStream;
import java.io.Reader;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.Expression;
import org.apache.camel.NamedNode;
import org.apache.camel.Navigate;
import org.apache.camel.Processor;
import org.apache.camel.ResolveEndpointFailedException;
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
import org.apache.camel.spi.EndpointUriFactory;
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

    /** Those that only the component knows. */
    private static final Set<String> OTHER_OPTIONS_OF_HTTP = Set.of(
            "connectTimeout", "responseTimeout", "connectionRequestTimeout", "soTimeout", "x509HostnameVerifier");

    private static final String KAFKA = "kafka:";
    /** Whether a message gives the whole address or the topic of Kafka. */
    private static final Pattern TOPIC_OF_MESSAGE =
            Pattern.compile("^" + FilledText.VALUE + "|kafka:[^?,]*" + FilledText.VALUE);

    private static final Set<String> NAMES = Set.of(
            "camelhttppath",
            "camelfilename",
            "cameloverrulefilename",
            "camelkafkaoverridetopic",
            "kafka.override_topic",
            "cameljmsdestinationname");

    private static final String STATEMENT = "camelsqlquery";

    private static final Set<Class<?>> COMPUTING = Set.of(
            DynamicRouterDefinition.class,
            EnrichDefinition.class,
            PollEnrichDefinition.class,
            RecipientListDefinition.class,
            RoutingSlipDefinition.class);

    /** Templates that escape values, or whose text is not known. */
    private static final Pattern UNCHECKED =
            Pattern.compile("^language:(?://)?(?:(?:json|html|slack)-template:|text-template:\\s*file:)|\\$init\\{");

    private static final Pattern SEPARATOR_IN_FUNCTION =
            Pattern.compile("\\$(?:simple)?\\{[^{}]*(?:'[&?][^']+'|\"[&?][^\"]+\")");

    private final Expression address;
    private final Optional<Marked> marked;
    private final Filling filling;
    /** The same for one of several texts that the expression gives. */
    private final Filling ofOne;

    private final boolean mayThrow;

    /** Checks a text for a message, and says what the step gets in its place: a text, or several. */
    private interface Filling {
        /** @param text null if there is none */
        Object of(FilledText text, Exchange exchange);
    }

    /**
     * An expression with values of a message in a text of the route.
     *
     * @param expression gives the text with marks around each value
     * @param sample the text in the route, with {@link FilledText#VALUE} in place of each value
     * @param marks around the values
     */
    private record Marked(Expression expression, String sample, List<String> marks) {
        /** Empty if the expression is in another language than simple and text-template, or its text is one value, or lacks a setting. */
        static Optional<Marked> of(CamelContext context, Expression expression) {
            return text(context, expression)
                    .filter(text -> FilledText.sampleOf(text).length() > 1)
                    .map(text -> {
                        boolean isTemplate = expression instanceof TemplateExpression;
                        Expression marked = context.resolveLanguage(isTemplate ? "text-template" : "simple")
                                .createExpression(text);
                        marked.init(context);
                        return new Marked(marked, FilledText.sampleOf(text), FilledText.marks(text));
                    });
        }

        FilledText evaluate(Exchange exchange) {
            return FilledText.of(marks, expression.evaluate(exchange, String.class));
        }
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

    private CheckedAddress(
            Expression address, Optional<Marked> marked, Filling filling, Filling ofOne, boolean mayThrow) {
        this.address = address;
        this.marked = marked;
        this.filling = filling;
        this.ofOne = ofOne;
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
            place(step, sending).ifPresent(place -> place.expression()
                    .ifPresent(expression -> place.set(ofStep(context, step, sending, expression))));
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
        if (FileName.isOfHeader(name)) {
            return ofName(context, expression, NAMES.contains(name));
        }
        Optional<Marked> marked = Marked.of(context, expression);
        return marked.flatMap(text -> requirement(name, text))
                .map(CheckedAddress::filled)
                .<Expression>map(filling -> new CheckedAddress(expression, marked, filling, filling, true))
                .orElse(expression);
    }

    private static Optional<Consumer<FilledText>> requirement(String header, Marked marked) {
        Consumer<FilledText> require = null;
        if (QUERIES.contains(header)) {
            require = AddressTemplate::requireQuery;
        } else if (ADDRESSES.contains(header)) {
            require = AddressTemplate::requireRequest;
        } else if (AddressTemplate.RECIPIENTS.contains(header)) {
            require = RecipientTemplate::require;
        } else if (NAMES.contains(header)) {
            require = AddressTemplate::requireFilled;
        } else if (header.equals(STATEMENT)) {
            require = text -> StatementTemplate.require(text, "#");
        }
        return Optional.ofNullable(require);
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
        return texts.flatMap(text -> Stream.of(
                                Optional.of(
                                                "computes an address, a name or a statement with a template, or with $init{, of"
                                                        + " which it is not known what is a value of the message: a value could"
                                                        + " add a receiver or a parameter. Use simple without $init{, or"
                                                        + " text-template with its text in the route")
                                        .filter(mistake ->
                                                UNCHECKED.matcher(text).find()),
                                Optional.of(
                                                "has a & or ? in a function of an address: it would be a part of a value. Write"
                                                        + " the parameter in the address, or compute the whole address")
                                        .filter(mistake -> SEPARATOR_IN_FUNCTION
                                                .matcher(text)
                                                .find()))
                        .flatMap(Optional::stream))
                .findFirst();
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
        return Stream.of(QUERIES, ADDRESSES, AddressTemplate.RECIPIENTS, NAMES, Set.of(STATEMENT))
                        .anyMatch(names -> names.contains(name))
                || FileName.isOfHeader(name);
    }

    /** Checks the name of a file that an option of an endpoint computes. */
    static Expression ofFileName(CamelContext context, Expression expression) {
        return ofName(context, expression, true);
    }

    private static Expression ofName(CamelContext context, Expression expression, boolean isFilled) {
        Optional<Marked> marked = Marked.of(context, expression);
        Filling filling = filled(name -> {
            if (!name.whole().equals(expression.toString())) { // of a constant, it is that of the route
                FileName.require(name);
                if (isFilled && !name.isValue()) {
                    AddressTemplate.requireFilled(name);
                }
            }
        });
        return new CheckedAddress(expression, marked, filling, filling, true);
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

    private static CheckedAddress ofStep(
            CamelContext context, NamedNode step, Processor sending, Expression expression) {
        Optional<Marked> marked = Marked.of(context, expression);
        Optional<String> sample = text(context, expression).map(FilledText::sampleOf);
        AddressTemplate template = new AddressTemplate(
                delimiter(step, sending),
                optionsOfHttp(context),
                address -> endpoint(
                        context, address, sending instanceof SendDynamicProcessor || sending instanceof Enricher));
        // in a constant Camel finds the placeholders of the route, and has resolved those of other expressions
        boolean mayHavePlaceholder = sample.isEmpty() && expression.toString().contains(PLACEHOLDER);
        boolean namesTopic = namesTopic(step, sample);
        Function<AddressTemplate, Filling> filling = of -> {
            Filling checked = (text, exchange) -> {
                String address = text == null ? null : text.whole();
                if (!mayHavePlaceholder) {
                    refusePlaceholder(address);
                }
                Object sent = text == null ? null : of.sent(text);
                if (namesTopic && address != null && address.contains(KAFKA)) {
                    exchange.setProperty(OutboxConstants.COMPUTED, address);
                }
                return sent;
            };
            return step instanceof ToDynamicDefinition toD && !(step instanceof WireTapDefinition<?>)
                    ? required(context, toD, checked)
                    : checked;
        };
        return new CheckedAddress(
                expression,
                marked,
                filling.apply(template),
                filling.apply(template.ofOne()),
                !(sending instanceof DynamicRouter));
    }

    /** The application may have no component for HTTP. */
    private static Set<String> optionsOfHttp(CamelContext context) {
        Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        EndpointUriFactory factory = context.getCamelContextExtension().getEndpointUriFactory("http");
        if (factory != null) {
            names.addAll(factory.propertyNames());
            names.addAll(OTHER_OPTIONS_OF_HTTP);
        }
        return names;
    }

    /** Whether a message may name the topic to which a step sends it. */
    private static boolean namesTopic(NamedNode step, Optional<String> sample) {
        return sample.map(text -> TOPIC_OF_MESSAGE.matcher(text).find())
                .orElseGet(() -> step instanceof ExpressionNode node
                        && !Set.of("constant", "simple")
                                .contains(node.getExpression().getLanguage()));
    }

    private static Filling filled(Consumer<FilledText> require) {
        return (text, exchange) -> {
            if (text == null) {
                return null;
            }
            require.accept(text);
            return text.whole();
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
     * An endpoint that sends to exactly this address; its text for Camel, if it is a mock, or an option or the host is wrong.
     *
     * @throws FieldException if an option of the message is wrong
     */
    private static Object endpoint(CamelContext context, HttpAddress address, boolean isWhole) {
        try {
            return address.url() != null && context.getEndpoint(address.endpoint()) instanceof ExactHttp http
                    ? http.at(address.url(), isWhole)
                    : address.whole();
        } catch (ResolveEndpointFailedException e) {
            if (address.isOptionOfMessage()) {
                throw new FieldException("A value of the message cannot be an option of the step http:");
            }
            return address.whole();
        }
    }

    /**
     * The text of an expression in the language simple or text-template with its settings, and with marks around each value; empty if it is in
     * another language, has no value of a message, or lacks a setting.
     */
    private static Optional<String> text(CamelContext context, Expression expression) {
        try {
            if (expression instanceof TemplateExpression template) {
                return Optional.of(context.resolvePropertyPlaceholders(template.with(FilledText::withMarks)))
                        .filter(text -> text.indexOf(FilledText.VALUE) >= 0);
            }
            return isSimple(expression)
                    ? FilledText.marked(context.resolvePropertyPlaceholders(expression.toString()))
                    : Optional.empty();
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
    private static Filling required(CamelContext context, ToDynamicDefinition step, Filling others) {
        String pattern = step.getPattern() == null ? null : context.resolvePropertyPlaceholders(step.getPattern());
        boolean mayBeInvalid =
                Boolean.parseBoolean(context.resolvePropertyPlaceholders(step.getIgnoreInvalidEndpoint()));
        return (text, exchange) -> {
            Part part = Part.of(exchange);
            if (text == null && part != null && !mayBeInvalid) {
                throw new IllegalArgumentException("The message has no address: the step toD was evaluated to null");
            }
            Object sent = others.of(text, exchange);
            MemoryQueues.refuse(exchange, text == null ? "" : text.whole(), pattern);
            if (part != null) {
                part.sendNext(pattern);
            }
            return sent;
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
            return (T)
                    (marked.isPresent()
                            ? filling.of(marked.get().evaluate(exchange), exchange)
                            : checked(address.evaluate(exchange, type), filling, exchange));
        } catch (RuntimeException e) {
            if (mayThrow) {
                throw e;
            }
            exchange.setException(e); // a dynamicRouter does not catch it, and the message would never end
            return null;
        }
    }

    /** Returns what can be read only once as something that can still be read. */
    private Object checked(Object value, Filling of, Exchange exchange) {
        if (value instanceof Iterator<?> several) {
            return each(several, exchange);
        }
        if (value instanceof Collection<?> || value instanceof Object[]) {
            List<Object> sent = new ArrayList<>();
            each(ObjectHelper.createIterator(value, null), exchange).forEachRemaining(sent::add);
            return sent;
        }
        String text = text(value, exchange);
        if (value instanceof StreamCache body) {
            body.reset(); // it may be the body of the message
        }
        Object sent = of.of(text == null ? null : FilledText.ofValue(text), exchange);
        boolean isText = value instanceof String
                || value instanceof StreamCache
                || value instanceof InputStream
                || value instanceof Reader;
        return isText ? sent : value;
    }

    private Iterator<Object> each(Iterator<?> several, Exchange exchange) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return several.hasNext();
            }

            @Override
            public Object next() {
                return checked(several.next(), ofOne, exchange);
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
