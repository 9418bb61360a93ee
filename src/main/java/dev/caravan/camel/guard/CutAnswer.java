package dev.caravan.camel.guard;

import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.NamedNode;
import org.apache.camel.TypeConversionException;
import org.apache.camel.support.TypeConverterSupport;

/**
 * The body after an answer that was not read to its end. The receiver accepted the message, but a step that reads the answer fails before it does
 * anything. This is no stream: a step such as {@code http:} begins to send a stream before it reads it.
 */
public final class CutAnswer {
    /** An expression of the language simple, of a script or of Java that names the body. Other languages fail when they convert it. */
    private static final Pattern READS_BODY = Pattern.compile(
            "(simple(-no-file)?|file)\\{.*\\$(simple)?\\{\\s*((in|message|exchange\\.\\w+(\\(\\))?)\\??\\.)?(b|mandatoryB|prettyB)ody.*"
                    + "|(java|groovy|mvel|ognl|spel|js|javascript|python|joor)\\{.*\\b(body|getBody)\\b.*"
                    + "|([^{]*\\()?(body|bodyAs|mandatoryBodyAs|bodyExpression)([ \\[)}].*)?",
            Pattern.DOTALL);

    private final String reason;

    /** @param reason why the answer is not complete */
    public CutAnswer(String reason) {
        this.reason = reason;
    }

    /** Makes each conversion of such an answer fail, also to text. */
    public static void failConversions(CamelContext context) {
        context.getTypeConverterRegistry().addFallbackTypeConverter(new Failing(), false);
    }

    /** Fails before a step whose expressions name such an answer: a comparison is false with a value that Camel cannot convert. */
    static Around require(NamedNode step) {
        List<String> expressions = AnswerError.expressions(step)
                .map(each -> each.toString().replaceFirst("^\\{", "")) // before a predicate of Java
                .toList();
        boolean readsBody =
                expressions.stream().anyMatch(text -> READS_BODY.matcher(text).matches());
        List<String> ofVariables =
                expressions.stream().filter(text -> text.contains("variable")).toList();
        return exchange -> {
            if (readsBody) {
                require(exchange.getMessage().getBody());
            }
            if (!ofVariables.isEmpty() && exchange.hasVariables()) {
                exchange.getVariables().forEach((name, value) -> {
                    if (ofVariables.stream().anyMatch(text -> text.contains(name))) {
                        require(value);
                    }
                });
            }
            return Around.NOTHING;
        };
    }

    private static void require(Object value) {
        if (value instanceof CutAnswer answer) {
            throw new IllegalStateException(answer.reason);
        }
    }

    private static final class Failing extends TypeConverterSupport {
        @Override
        public <T> T convertTo(Class<T> type, Exchange exchange, Object value) {
            if (value instanceof CutAnswer answer) {
                throw new TypeConversionException(value, type, new IOException(answer.reason));
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
