package dev.caravan.console.http;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One operation of the HTTP API.
 *
 * @param method {@code GET} to read, {@code POST} to change
 * @param template the path, with parameter names in braces
 * @param change the kind of change that is counted, such as {@code pause}; empty for none
 * @param needs the lowest role that may request it
 * @param names the query parameters of a read, or the body fields of a change
 */
public record Operation(String method, String template, String change, Role needs, Set<String> names, Handler handler) {
    /** The path parameter with the schema of the outbox; without it, an operation is about the outbox of the relay. */
    public static final String OUTBOX = "outbox";

    /** Runs the operation. */
    @FunctionalInterface
    public interface Handler {
        ApiResponse handle(Call call) throws Exception;
    }

    public static Operation get(String template, Set<String> parameters, Handler handler) {
        return new Operation("GET", template, "", Role.READ, parameters, handler);
    }

    public static Operation post(String template, Set<String> fields, Handler handler) {
        return new Operation("POST", template, lastSegment(template), Role.OPERATE, fields, handler);
    }

    /** A change that repeats or skips messages, or that concerns all relays. */
    public static Operation adminPost(String template, Set<String> fields, Handler handler) {
        return new Operation("POST", template, lastSegment(template), Role.ADMIN, fields, handler);
    }

    private static String lastSegment(String template) {
        return template.substring(template.lastIndexOf('/') + 1);
    }

    /** The same operation, counted as another kind of change; empty for none. */
    public Operation countedAs(String kind) {
        return new Operation(method, template, kind, needs, names, handler);
    }

    /** The same operation with another handler. */
    public Operation handledBy(Handler other) {
        return new Operation(method, template, change, needs, names, other);
    }

    /** The same operation below another path. @param prefix replaces {@code /api} */
    public Operation below(String prefix) {
        return new Operation(method, prefix + template.substring("/api".length()), change, needs, names, handler);
    }

    boolean changes() {
        return method.equals("POST");
    }

    /** The path parameters, if the path matches the template. */
    Optional<Map<String, String>> match(List<String> segments) {
        String[] expected = template.substring(1).split("/");
        if (expected.length != segments.size()) {
            return Optional.empty();
        }
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < expected.length; i++) {
            if (expected[i].startsWith("{")) {
                values.put(expected[i].substring(1, expected[i].length() - 1), segments.get(i));
            } else if (!expected[i].equals(segments.get(i))) {
                return Optional.empty();
            }
        }
        return Optional.of(values);
    }

    /** Method and template, such as {@code POST /api/subscriptions/{name}/pause}. Contains no values of a request. */
    @Override
    public String toString() {
        return method + " " + template;
    }
}
