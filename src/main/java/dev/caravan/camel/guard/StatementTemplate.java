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
    private static final String PLACEHOLDER = "#";
    /** Behind these signs a name would be a column. */
    private static final Pattern BEFORE_NUMBER = Pattern.compile("[=<>(,+*/]\\s*$");

    private final String sample;
    private final Pattern statement;
    /** What Camel replaces by a parameter, also in quotes. */
    private final Pattern parameter;

    private StatementTemplate(String sample, boolean mayBeEmpty, String placeholder) {
        this.sample = sample;
        parameter = Pattern.compile(Pattern.quote(placeholder) + "|:\\?");
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
        return AddressTemplate.sample(text).flatMap(sample -> {
            var step = STEP.matcher(sample);
            String placeholder = AddressTemplate.parameters(sample).getOrDefault("placeholder", PLACEHOLDER);
            return step.lookingAt() ? of(text, AddressPath.decoded(step.group(1)), placeholder) : Optional.empty();
        });
    }

    /** The statement that a text gives; empty as for {@link #ofStep}. */
    static Optional<StatementTemplate> ofHeader(String text) {
        return AddressTemplate.sample(text).flatMap(sample -> of(text, sample, PLACEHOLDER));
    }

    private static Optional<StatementTemplate> of(String text, String sample, String placeholder) {
        return Optional.of(sample)
                .filter(each -> each.indexOf(AddressTemplate.VALUE) > 0)
                .map(each -> new StatementTemplate(each, AddressTemplate.hasEmpty(text, each), placeholder));
    }

    /** Checks the address of a step. @throws FieldException as {@link #require} */
    void requireStep(String address) {
        var step = STEP.matcher(address);
        require(step.lookingAt() ? AddressPath.decoded(step.group(1)) : address);
    }

    /** @throws FieldException without a value, if one adds SQL to the statement */
    void require(String given) {
        if (!statement.matcher(given).matches() || parameters(given) != parameters(sample)) {
            throw new FieldException(
                    "A value of the message adds SQL to a statement that the route computes, or a # or :? that Camel"
                            + " replaces by a parameter, or is empty there. Use a"
                            + " parameter such as :#name, which takes any value");
        }
    }

    private long parameters(String text) {
        return parameter.matcher(text).results().count();
    }
}
