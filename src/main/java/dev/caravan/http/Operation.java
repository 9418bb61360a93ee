package dev.caravan.http;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One thing that can be asked for.
 *
 * @param method {@code GET} to look, {@code POST} to change
 * @param template the path, with names in braces for its values
 * @param names the query parameters of a look, the fields of the body of a change
 */
public record Operation(String method, String template, Set<String> names, Answering answering) {
    /** Does it. */
    @FunctionalInterface
    public interface Answering {
        Answer answer(Call call) throws Exception;
    }

    public static Operation get(String template, Set<String> parameters, Answering answering) {
        return new Operation("GET", template, parameters, answering);
    }

    public static Operation post(String template, Set<String> fields, Answering answering) {
        return new Operation("POST", template, fields, answering);
    }

    boolean changes() {
        return method.equals("POST");
    }

    /** The values of a path that fits the template. */
    Optional<Map<String, String>> match(List<String> segments) {
        String[] wanted = template.substring(1).split("/");
        if (wanted.length != segments.size()) {
            return Optional.empty();
        }
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < wanted.length; i++) {
            if (wanted[i].startsWith("{")) {
                values.put(wanted[i].substring(1, wanted[i].length() - 1), segments.get(i));
            } else if (!wanted[i].equals(segments.get(i))) {
                return Optional.empty();
            }
        }
        return Optional.of(values);
    }

    /** {@code POST /api/subscriptions/{name}/pause}: nothing of a request is in it. */
    @Override
    public String toString() {
        return method + " " + template;
    }
}
