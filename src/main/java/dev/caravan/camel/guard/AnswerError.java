package dev.caravan.camel.guard;

import dev.caravan.base.text.Causes;
import dev.caravan.camel.FieldException;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.CamelExchangeException;
import org.apache.camel.Expression;
import org.apache.camel.NamedNode;
import org.apache.camel.model.EnrichDefinition;
import org.apache.camel.model.ExpressionNode;
import org.apache.camel.model.HasExpressionType;
import org.apache.camel.model.PollEnrichDefinition;
import org.apache.camel.model.language.ExpressionDefinition;
import org.apache.camel.model.language.SingleInputTypedExpressionDefinition;

/**
 * An error about what a step reads or sends. It is about the message, which is then dead at once, unless the step has used an answer from
 * outside: a later answer may be right.
 */
final class AnswerError {
    /** The errors of the clauses {@code poison-record} and {@code poison-xml}, by name, because an application may not have their libraries; and of {@code unmarshal}. */
    static final Set<String> CONTENT = Set.of(
            "org.apache.kafka.common.errors.RecordTooLargeException",
            "org.apache.kafka.common.errors.RecordBatchTooLargeException",
            "org.apache.kafka.common.errors.SerializationException",
            "org.apache.kafka.common.InvalidRecordException",
            "org.apache.kafka.common.errors.InvalidTimestampException",
            "com.jayway.jsonpath.InvalidJsonException",
            "com.jayway.jsonpath.PathNotFoundException",
            "org.xml.sax.SAXParseException",
            "dev.caravan.camel.FieldException",
            "dev.caravan.camel.InvalidNumberException",
            "dev.caravan.camel.InvalidEventException",
            "org.apache.camel.ValidationException",
            "com.fasterxml.jackson.core.JsonProcessingException");

    /** The beginning of a text of {@link FieldException}. */
    private static final Pattern ABOUT_VALUE = Pattern.compile("The (header|variable|answer) .*", Pattern.DOTALL);

    private static final Pattern VALUE = Pattern.compile("\\b(variable|header|exchangeProperty)");
    /** The same in a text whose language reads values only there. */
    private static final Pattern VALUE_IN_TEXT =
            Pattern.compile("\\$(simple)?\\{[^}]*\\b(variable|header|exchangeProperty)");

    /** Languages, and texts of the language simple, that read nothing of the body. */
    private static final Pattern APART = Pattern.compile(
            "(constant|variable|header|exchangeProperty) .*|simple \\s*\\$\\{(null|(variable|header|exchangeProperty)[.:\\[][^{}]*)}\\s*",
            Pattern.DOTALL);

    /** The same without a value: the route says that there is none. */
    private static final Pattern NULL = Pattern.compile("constant .*|simple \\s*\\$\\{null}\\s*", Pattern.DOTALL);

    private static final Pattern LANGUAGE_OF_TEXT = Pattern.compile("simple|constant|jsonpath|payload|.*-template");

    private AnswerError() {}

    /** Whether an error is about the content that a step reads or sends. */
    static boolean isOfContent(Throwable error) {
        return Causes.of(error).anyMatch(cause -> types(cause).anyMatch(type -> CONTENT.contains(type.getName())));
    }

    private static Stream<Class<?>> types(Throwable error) {
        return Stream.iterate(error.getClass(), type -> type != null, Class::getSuperclass);
    }

    /** Whether an error may be about a value that the route has set, and not about the body. */
    static boolean isOfValue(Throwable error, NamedNode step) {
        return isOfStrategy(error, step)
                || Causes.first(FieldException.class, error)
                        .map(field -> ABOUT_VALUE.matcher(field.getMessage()).matches())
                        .orElseGet(() -> readsValue(step));
    }

    /** Whether the strategy of an enrich has failed, which has used the answer. */
    private static boolean isOfStrategy(Throwable error, NamedNode step) {
        return (step instanceof EnrichDefinition || step instanceof PollEnrichDefinition)
                && error.getClass() == CamelExchangeException.class;
    }

    /** Whether the expression of a step reads a variable, a header or a property. */
    static boolean readsValue(NamedNode step) {
        return expressions(step).anyMatch(AnswerError::readsValue);
    }

    /** The expressions of a step, and the conditions of a choice. */
    static Stream<ExpressionDefinition> expressions(NamedNode step) {
        return Stream.concat(
                        step instanceof HasExpressionType own ? Stream.of(own) : Stream.empty(),
                        StepReads.clauses(step))
                .map(HasExpressionType::getExpressionType)
                .filter(Objects::nonNull);
    }

    /** Whether the expression of a step reads nothing of the body: without a value, the route has removed the body. */
    static boolean isApart(NamedNode step) {
        return matches(APART, step);
    }

    /** Whether a step without a value says so: a variable or a header may lack one because an answer had none. */
    static boolean isNull(NamedNode step) {
        return matches(NULL, step);
    }

    private static boolean matches(Pattern pattern, NamedNode step) {
        return step instanceof ExpressionNode node
                && node.getExpression() != null
                && pattern.matcher(node.getExpression().getLanguage() + " "
                                + node.getExpression().getExpression())
                        .matches();
    }

    private static boolean readsValue(ExpressionDefinition expression) {
        String source = expression instanceof SingleInputTypedExpressionDefinition input ? input.getSource() : null;
        Expression built = expression.getExpressionValue();
        if (source != null) {
            return true;
        }
        if (built != null) {
            return VALUE.matcher(built.toString()).find();
        }
        String language = String.valueOf(expression.getLanguage());
        boolean isText = LANGUAGE_OF_TEXT.matcher(language).matches();
        return (isText ? VALUE_IN_TEXT : VALUE)
                .matcher(language + " " + expression.getExpression())
                .find();
    }
}
