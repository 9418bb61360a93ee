package dev.caravan.camel.guard;

import dev.caravan.camel.FieldException;
import java.util.regex.Pattern;

/**
 * A statement of SQL that a route computes with values of a message: each is a part of a name, a number, or a text in the quotes of
 * the route. Anything else would be SQL that whoever writes rows has written.
 */
final class StatementTemplate {
    private static final String NAME = "[\\p{L}\\p{N}_.]+";
    private static final String NUMBER = "[-+]?[\\d.]+(?:[eE][-+]?\\d+)?";
    /** A second minus would begin a comment. */
    private static final String BEHIND_MINUS = "[\\d.]+(?:[eE][-+]?\\d+)?";

    /** Where a name is one of a table, and where the route writes a part of it. Elsewhere it would be a column, or a word of SQL. */
    private static final Pattern BEFORE_NAME = Pattern.compile(
            "[\\p{L}\\p{N}_.]$|\\b(?:from|into|update|join|table|only|schema|order\\s+by)\\s+$",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern BEHIND_NAME = Pattern.compile("[\\p{L}\\p{N}_.]");

    private StatementTemplate() {}

    /**
     * Checks a statement. One that is a value is that of the message; of one that begins with a value, only the rest is checked.
     *
     * @param placeholder what Camel replaces by a parameter, also in quotes
     * @throws FieldException without a value, if one adds SQL to the statement
     */
    static void require(FilledText given, String placeholder) {
        if (given.isValue()) {
            return;
        }
        FilledText statement = given.beginsWithValue() ? given.withFirstGiven() : given;
        Pattern parameter = Pattern.compile(Pattern.quote(placeholder) + "|:\\?");
        String text = statement.text();
        StringBuilder before = new StringBuilder();
        int at = 0;
        boolean isValue = parameters(parameter, statement.whole()) == parameters(parameter, text);
        for (String value : statement.values()) {
            int next = text.indexOf(FilledText.VALUE, at);
            before.append(text, at, next);
            isValue &= value.matches(valueBehind(before, text.substring(next + 1)));
            at = next + 1;
        }
        if (!isValue) {
            throw new FieldException(
                    "A value of the message adds SQL to a statement that the route computes, or a # or :? that Camel"
                            + " replaces by a parameter, or is empty there. Use a"
                            + " parameter such as :#name, which takes any value");
        }
    }

    private static String valueBehind(CharSequence before, String after) {
        char quote = 0;
        for (int i = 0; i < before.length(); i++) {
            char sign = before.charAt(i);
            if (quote == 0 && (sign == '\'' || sign == '"')) {
                quote = sign;
            } else if (sign == quote) {
                quote = 0;
            }
        }
        if (quote != 0) {
            return "[^" + quote + "\\\\]*";
        }
        if (BEFORE_NAME.matcher(before).find() || BEHIND_NAME.matcher(after).lookingAt()) {
            return NAME;
        }
        return before.length() > 0 && before.charAt(before.length() - 1) == '-' ? BEHIND_MINUS : NUMBER;
    }

    private static long parameters(Pattern parameter, String text) {
        return parameter.matcher(text).results().count();
    }
}
