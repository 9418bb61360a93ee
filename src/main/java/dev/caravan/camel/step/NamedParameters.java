package dev.caravan.camel.step;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;
import org.apache.camel.component.sql.SqlHelper;

/**
 * Parameters such as {@code :#name} of a statement. Camel would use a header or a variable if a map has no such field: then a header that the row
 * or an answer happens to have is stored in place of a field that the payload lacks.
 */
final class NamedParameters {
    /** As {@code DefaultSqlPrepareStatementStrategy}, which gets the statement with another placeholder. Not expressions. */
    private static final Pattern NAME = Pattern.compile(":\\?(?:in:(?:\\$|(?<listed>\\w+))|(?<name>\\w+))");

    private record Statement(String text, List<String> names) {}

    /** The last statement: most steps have only one. */
    private volatile Statement last = new Statement("", List.of());

    /** @throws IllegalArgumentException if the value is a map without a field that the statement names */
    void require(String statement, Exchange exchange, Object value) {
        Statement known = last;
        if (!known.text.equals(statement)) {
            known = new Statement(statement, names(statement));
            last = known;
        }
        Map<?, ?> fields = known.names.isEmpty() ? null : fields(exchange, value);
        for (String name : known.names) {
            requireField(name, fields);
        }
    }

    private static List<String> names(String statement) {
        List<String> names = new ArrayList<>();
        Matcher parameter = NAME.matcher(statement);
        while (parameter.find()) {
            String name = parameter.group("name") == null ? parameter.group("listed") : parameter.group("name");
            if (name != null) {
                names.add(name);
            }
        }
        return names;
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

    /** @throws IllegalArgumentException if a step with {@code batch=true} would write nothing, although its body is no empty list */
    static void requireBatch(Object body) {
        if (body == null || body instanceof String text && text.isBlank()) {
            throw new IllegalArgumentException(
                    "A step with batch=true writes a row for each element of a list, but the body"
                            + " is null or empty. Set it to the list, which may be empty");
        }
    }

    /** @throws IllegalArgumentException if an element is null: parameters would be those of the whole body or of headers */
    static void requireElement(Object element) {
        if (element == null) {
            throw new IllegalArgumentException(
                    "A step with batch=true writes a row for each element of a list, but an element is null. Remove it");
        }
    }
}
