package dev.caravan.camel.step;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;
import org.apache.camel.component.sql.SqlHelper;

/**
 * Parameters such as {@code :#name} of a statement. Camel would use a header or a variable if a map has no such field: then a header that the row
 * or an answer happens to have is stored in place of a field that the payload lacks.
 */
final class NamedParameters {
    /** As {@code DefaultSqlPrepareStatementStrategy}, which gets the statement with another placeholder. Not expressions. */
    private static final Pattern NAME = Pattern.compile(":\\?(?:in:)?+(\\w+)");

    /** JSON that is not yet a list, or nothing: Camel would split it at its commas. */
    private static final Pattern NO_LIST = Pattern.compile("\\s*+(?:[\\[{].*+)?+", Pattern.DOTALL);

    private NamedParameters() {}

    /** @throws IllegalArgumentException if the value is a map without a field that the statement names */
    static void require(String statement, Exchange exchange, Object value) {
        Map<?, ?> fields = fields(exchange, value);
        NAME.matcher(statement).results().forEach(parameter -> requireField(parameter.group(1), fields));
    }

    /** The body, or an element of it, as Camel takes fields of it; null if it is no map. */
    private static Map<?, ?> fields(Exchange exchange, Object value) {
        return value instanceof Map<?, ?> map
                ? map
                : exchange.getContext().getTypeConverter().tryConvertTo(Map.class, exchange, value);
    }

    private static void requireField(String name, Map<?, ?> fields) {
        if (fields != null && !fields.containsKey(name)) {
            throw new IllegalArgumentException("The body has no field " + name + " for the parameter :#" + name
                    + " of the statement. Write :#${header." + name + "} if the header is meant, or :#${body[" + name
                    + "]} if the field may be absent");
        }
    }

    /** @throws IllegalArgumentException if the value is a map without this field, or neither a header nor a variable has this name */
    static void requireValue(String name, Exchange exchange, Object value) {
        requireField(name, fields(exchange, value));
        if (!SqlHelper.hasParameter(name, exchange, value)) {
            throw new IllegalArgumentException(
                    "The body is no map, and no header is named " + name + ", for the parameter :#" + name
                            + " of the statement. Unmarshal the payload before this step, or set the header");
        }
    }

    /** @throws IllegalArgumentException if a step with {@code batch=true} would write nothing or other rows, because its body is no list */
    static void requireBatch(Object body) {
        boolean isText = body instanceof String text ? NO_LIST.matcher(text).matches() : body instanceof InputStream;
        if (body == null || body instanceof Map || body instanceof byte[] || isText) {
            throw new IllegalArgumentException("A step with batch=true writes a row for each element of a list, but the"
                    + " body is null, empty, a map or JSON text. Set it to the list, which may be empty");
        }
    }

    /** @throws IllegalArgumentException if an element is null: parameters would be those of the whole body or of headers */
    static void requireElement(Object element) {
        if (element == null) {
            throw new IllegalArgumentException(
                    "A step with batch=true writes a row for each element of a list, but an element is null. Remove it");
        }
    }

    static Iterator<?> sent(Exchange exchange, Iterator<?> values) {
        List<Object> sent = new ArrayList<>();
        values.forEachRemaining(value -> sent.add(BytesParameter.of(exchange, sent(exchange, value))));
        return sent.iterator();
    }

    /** An object or a list as JSON. The driver of Postgres would write an object as {@code hstore}, with texts for numbers and objects in it. */
    static Object sent(Exchange exchange, Object value) {
        return value instanceof Map || value instanceof Collection ? SentBody.of(exchange, value) : value;
    }
}
