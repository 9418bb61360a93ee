package dev.caravan.camel.guard;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.NamedNode;
import org.apache.camel.TypeConversionException;
import org.apache.camel.model.BeanDefinition;
import org.apache.camel.model.ConvertBodyDefinition;
import org.apache.camel.model.DynamicRouterDefinition;
import org.apache.camel.model.LoopDefinition;
import org.apache.camel.model.MarshalDefinition;
import org.apache.camel.model.PollDefinition;
import org.apache.camel.model.ProcessDefinition;
import org.apache.camel.model.ProcessorDefinitionHelper;
import org.apache.camel.model.SendDefinition;
import org.apache.camel.model.ToDynamicDefinition;
import org.apache.camel.model.UnmarshalDefinition;
import org.apache.camel.model.language.ExpressionDefinition;
import org.apache.camel.model.language.SingleInputTypedExpressionDefinition;
import org.apache.camel.support.ConstantExpressionAdapter;
import org.apache.camel.support.ExchangeHelper;
import org.apache.camel.support.TypeConverterSupport;

/**
 * The body after an answer that was not read to its end. The receiver accepted the message, but a step that reads the answer, or may read it,
 * fails before it does anything. This is no stream: a step such as {@code http:} begins to send a stream before it reads it.
 */
public final class CutAnswer {
    /** Steps that read the body. Of {@code process} and {@code bean} it is not known. */
    private static final Set<Class<?>> READING = Set.of(
            BeanDefinition.class,
            ProcessDefinition.class,
            MarshalDefinition.class,
            UnmarshalDefinition.class,
            ConvertBodyDefinition.class);

    /** Endpoints that call Java or an expression with the body as it is. */
    private static final Pattern READING_ENDPOINT = Pattern.compile("(bean|class|language):.*", Pattern.DOTALL);

    /** Languages that do not read the body, and those of Caravan, which fail when they read it. */
    private static final Pattern APART =
            Pattern.compile("constant|header|variable|exchangeProperty|payload|.*-template");

    private static final Pattern SIMPLE = Pattern.compile("c?simple(-no-file)?|file");

    /** A function of the language simple, unless it is known not to read the body: many read it without naming it. */
    private static final Pattern READING_FUNCTION = Pattern.compile("\\$init\\{|\\$(simple)?\\{(?!\\s*("
            + "((in|message)\\??\\.)?headers?(?![a-zA-Z])|headerAs\\(|variables?(?![a-zA-Z])|variableAs\\("
            + "|exchangeProperty|exception|date:|date-with-timezone:|file:|propert(ies|iesExist):|sys\\.|(sys)?env[.:]"
            + "|(null|id|exchangeId|messageTimestamp|routeId|fromRouteId|routeGroup|stepId|threadId|threadName|hostname|camelId)\\s*}"
            + "|uuid|random\\(|type:))");

    private static final Pattern APART_SOURCE =
            Pattern.compile("(header|variable|exchangeProperty|property):.*", Pattern.DOTALL);

    /** An expression of Java that is a value apart from the body, or compares one with a constant. */
    private static final Pattern APART_IN_JAVA =
            Pattern.compile("(header|variable|exchangeProperty)\\([^()]*\\)( [^()\\[$@]*)?");

    private static final Pattern BODY_IN_JAVA =
            Pattern.compile("(?i)\\) .*(body|message|exchange|eval)", Pattern.DOTALL);

    /** A variable that does not belong to the exchange. */
    private static final Pattern OTHER_VARIABLE = Pattern.compile("(route|global):[\\w.-]+");

    private final String reason;

    /** @param reason why the answer is not complete */
    public CutAnswer(String reason) {
        this.reason = reason;
    }

    /** Fails: Java would use the text of this object as if it were the answer. */
    @Override
    public String toString() {
        throw new IllegalStateException(reason);
    }

    /** Makes each conversion of such an answer fail, also to text. */
    public static void failConversions(CamelContext context) {
        context.getTypeConverterRegistry().addFallbackTypeConverter(new Failing(), false);
    }

    /**
     * Fails before a step that may read such an answer: a comparison, for example, is false with a value that Camel cannot convert. Empty if the
     * step reads neither the body nor a variable.
     */
    static Optional<Around> require(CamelContext context, NamedNode step) {
        List<ExpressionDefinition> expressions = AnswerError.expressions(step).toList();
        List<String> addresses = address(step)
                .map(text -> resolved(context, step, AddressPath.decoded(text)))
                .toList();
        boolean readsBody = READING.contains(step.getClass())
                || expressions.stream().anyMatch(each -> !isApart(context, step, each))
                || addresses.stream()
                        .anyMatch(text -> READING_ENDPOINT.matcher(text).matches()
                                || READING_FUNCTION.matcher(text).find());
        List<String> ofVariables = Stream.concat(expressions.stream().map(Object::toString), addresses.stream())
                .filter(text -> text.contains("variable"))
                .toList();
        List<String> others = ofVariables.stream()
                .flatMap(text -> OTHER_VARIABLE.matcher(text).results().map(MatchResult::group))
                .toList();
        Around own = exchange -> require(exchange, readsBody, ofVariables, others);
        Optional<Around> before = readsBody || !ofVariables.isEmpty() ? Optional.of(own) : Optional.empty();
        Optional<Around> after = step instanceof DynamicRouterDefinition<?> ? before : endOfLoop(context, step);
        return after.map(next -> (Around) exchange -> {
                    before.ifPresent(first -> first.begin(exchange));
                    return () -> {
                        if (exchange.getException() == null) {
                            next.begin(exchange);
                        }
                    };
                })
                .or(() -> before);
    }

    /** For the last step of a loop that asks for its condition again. */
    private static Optional<Around> endOfLoop(CamelContext context, NamedNode step) {
        return step.getParent() instanceof LoopDefinition loop
                        && loop.getDoWhile() != null
                        && loop.getOutputs().indexOf(step) == loop.getOutputs().size() - 1
                ? require(context, loop)
                : Optional.empty();
    }

    private static Runnable require(
            Exchange exchange, boolean readsBody, List<String> ofVariables, List<String> others) {
        if (readsBody) {
            require(exchange.getMessage().getBody());
        }
        if (exchange.hasVariables()) {
            exchange.getVariables().forEach((name, value) -> {
                if (value instanceof CutAnswer && ofVariables.stream().anyMatch(text -> text.contains(name))) {
                    require(value);
                }
            });
        }
        others.forEach(name -> require(ExchangeHelper.getVariable(exchange, name)));
        return Around.NOTHING;
    }

    private static void require(Object value) {
        if (value instanceof CutAnswer answer) {
            throw new IllegalStateException(answer.reason);
        }
    }

    private static Stream<String> address(NamedNode step) {
        String uri = null;
        if (step instanceof SendDefinition<?> send) {
            uri = send.getEndpointUri();
        } else if (step instanceof ToDynamicDefinition dynamic) {
            uri = dynamic.getUri();
        } else if (step instanceof PollDefinition poll) {
            uri = poll.getEndpointUri();
        }
        return Stream.ofNullable(uri);
    }

    /** Whether it is known that an expression does not read the body. */
    private static boolean isApart(CamelContext context, NamedNode step, ExpressionDefinition expression) {
        String language = String.valueOf(expression.getLanguage());
        if (APART.matcher(language).matches()) {
            return true;
        }
        if (language.isEmpty() || expression.getExpression() == null) {
            Object built = expression.getExpressionValue();
            return isApartInJava(context, step, built == null ? expression.getPredicate() : built);
        }
        String source = expression instanceof SingleInputTypedExpressionDefinition input ? input.getSource() : null;
        boolean isApart = SIMPLE.matcher(language).matches()
                || source != null
                        && APART_SOURCE.matcher(resolved(context, step, source)).matches();
        return isApart
                && !READING_FUNCTION
                        .matcher(resolved(context, step, String.valueOf(expression.getExpression())))
                        .find();
    }

    private static boolean isApartInJava(CamelContext context, NamedNode step, Object built) {
        if (built instanceof ExpressionDefinition inner) {
            return isApart(context, step, inner);
        }
        String text = String.valueOf(built);
        return built instanceof ConstantExpressionAdapter
                || APART_IN_JAVA.matcher(text).matches()
                        && !BODY_IN_JAVA.matcher(text).find();
    }

    /** A setting is not resolved needlessly: it may be in a vault. */
    private static String resolved(CamelContext context, NamedNode step, String text) {
        return text.contains("{{")
                ? Placeholders.resolved(context, ProcessorDefinitionHelper.getRoute(step), text)
                : text;
    }

    private static final class Failing extends TypeConverterSupport {
        @Override
        public <T> T convertTo(Class<T> type, Exchange exchange, Object value) {
            if (value instanceof CutAnswer answer) {
                throw new TypeConversionException("the answer", type, new IOException(answer.reason));
            }
            return null;
        }

        /** Not null, after which Camel would try other converters, and use one that succeeds from then on. */
        @Override
        @SuppressWarnings("unchecked")
        public <T> T tryConvertTo(Class<T> type, Exchange exchange, Object value) {
            return value instanceof CutAnswer ? (T) MISS_VALUE : null;
        }
    }
}
