package dev.caravan.adopt.intake;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A text of SQL with named parameters. What stands in quotes or in comments, and {@code ::}, is no parameter.
 *
 * @param sql with a question mark for each parameter
 * @param names the parameters in their order
 * @param questionMarks how many single question marks the text has itself
 */
record NamedParameters(String sql, List<String> names, int questionMarks) {
    static final String ERROR = "error";
    static final String ATTEMPTS = "attempts";

    private static final Pattern TOKEN = Pattern.compile(
            "'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`"
                    + "|--[^\\n]*|/\\*.*?\\*/|::|\\?\\?|[A-Za-z0-9_$\\]]+|(?<parameter>:[A-Za-z_][A-Za-z0-9_]*)|(?<mark>\\?)|.",
            Pattern.DOTALL);

    static NamedParameters of(String text) {
        StringBuilder sql = new StringBuilder();
        List<String> names = new ArrayList<>();
        int questionMarks = 0;
        String before = "";
        Matcher token = TOKEN.matcher(text);
        while (token.find()) {
            boolean parameter = token.group("parameter") != null && !before.matches("[A-Za-z0-9_$\\]]+");
            if (parameter) {
                names.add(token.group().substring(1));
            }
            questionMarks += token.group("mark") == null ? 0 : 1;
            sql.append(parameter ? "?" : token.group());
            before = token.group();
        }
        return new NamedParameters(sql.toString(), names, questionMarks);
    }

    /** What makes the text impossible in a statement, whether parameters are allowed or not. */
    Optional<String> problem(boolean allowed) {
        if (questionMarks > 0) {
            return Optional.of(
                    "? is a parameter, and has no value here. An operator with a question mark is written ??");
        }
        return names.stream()
                .filter(name -> !allowed || !List.of(ERROR, ATTEMPTS).contains(name))
                .findFirst()
                .map(name -> "unknown parameter :" + name
                        + (allowed
                                ? "; known are :error and :attempts"
                                : ": there are parameters in outcome.dead only"));
    }
}
