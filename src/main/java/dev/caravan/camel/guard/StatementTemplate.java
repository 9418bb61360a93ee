package dev.caravan.camel.guard;

import dev.caravan.camel.FieldException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A statement of SQL as a text of the language simple with values of a message in it: each is a part of a name, a number, or a text in the quotes of
 * the route. Anything else would be SQL that whoever writes rows has written.
 */
final class StatementTemplate {
    static final Pattern STEP = Pattern.compile("sql:(?://)?([^?]*)");
    private static final String NAME = "[\\p{L}\\p{N}_.]+";
    private static final String NUMBER = "[-+]?[\\d.]+(?:[eE][-+]?\\d+)?";
    /** Behind these signs a name would be a column. */
    private static final Pattern BEFORE_NUMBER = Pattern.compile("[=<>(,+*/]\\s*$");

    private final Pattern statement;

    private StatementTemplate(String sample, boolean mayBeEmpty) {
        StringBuilder pattern = new StringBuilder();
        StringBuilder before = new StringBuilder();
        String[] literals = sample.split(String.valueOf(AddressTemplate.VALUE), -1);
        for (int i = 0; i < literals.length; i++) {
            String value = "(?:" + value(before) + (mayBeEmpty ? ")?" : ")");
            pattern.append(i == 0 ? "" : value).append(Pattern.quote(literals[i]));
            before.append(literals[i]);
        }
        statement = Pattern.compile(pattern.toString(), Pattern.DOTALL);
    }

    private static String value(CharSequence before) {
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
        return BEFORE_NUMBER.matcher(before).find() ? NUMBER : NAME;
    }

    /** The statement in the address of a step {@code sql:}; empty if it has no value of a message, or is one, or the step is another one. */
    static Optional<StatementTemplate> ofStep(String text) {
        return AddressTemplate.sample(text)
                .map(STEP::matcher)
                .filter(step -> step.lookingAt())
                .flatMap(step -> of(text, AddressPath.decoded(step.group(1))));
    }

    /** The statement that a text gives; empty as for {@link #ofStep}. */
    static Optional<StatementTemplate> ofHeader(String text) {
        return AddressTemplate.sample(text).flatMap(sample -> of(text, sample));
    }

    private static Optional<StatementTemplate> of(String text, String sample) {
        return Optional.of(sample)
                .filter(each -> each.indexOf(AddressTemplate.VALUE) > 0)
                .map(each -> new StatementTemplate(each, AddressTemplate.hasEmpty(text, each)));
    }

    /** Checks the address of a step. @throws FieldException as {@link #require} */
    void requireStep(String address) {
        var step = STEP.matcher(address);
        require(step.lookingAt() ? AddressPath.decoded(step.group(1)) : address);
    }

    /** @throws FieldException without a value, if one adds SQL to the statement */
    void require(String given) {
        if (!statement.matcher(given).matches()) {
            throw new FieldException(
                    "A value of the message adds SQL to a statement that the route computes, or is empty there. Use a"
                            + " parameter such as :#name, which takes any value");
        }
    }
}
