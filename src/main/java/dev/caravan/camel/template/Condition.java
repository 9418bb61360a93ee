package dev.caravan.camel.template;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.Predicate;

/** One or more comparisons that must all be true: {@code total > 100 && currency == 'EUR'}. */
final class Condition implements Predicate {
    private final List<Comparison> all;

    private Condition(List<Comparison> all) {
        this.all = all;
    }

    /** @throws IllegalArgumentException if it is not a condition */
    static Condition parse(String text) {
        return new Condition(parts(text).stream().map(Comparison::parse).toList());
    }

    private static List<String> parts(String text) {
        List<String> parts = new ArrayList<>();
        char quote = 0;
        int begin = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quote != 0) {
                quote = c == quote ? 0 : quote;
            } else if (c == '\'' || c == '"') {
                quote = c;
            } else if (text.startsWith("||", i)) {
                throw new IllegalArgumentException(
                        "|| is not supported in a condition of the language payload. Write another when or use simple");
            } else if (text.startsWith("&&", i)) {
                parts.add(text.substring(begin, i));
                begin = i + 2;
            }
        }
        parts.add(text.substring(begin));
        return parts;
    }

    @Override
    public boolean matches(Exchange exchange) {
        return matches(Scope.of(exchange));
    }

    boolean matches(Scope scope) {
        return all.stream().allMatch(comparison -> comparison.matches(scope));
    }

    @Override
    public void init(CamelContext context) {
        // nothing to resolve
    }

    @Override
    public String toString() {
        return all.stream().map(Comparison::toString).collect(Collectors.joining(" && "));
    }
}
