package dev.caravan.camel.guard;

import dev.caravan.camel.FieldException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A text that a route computes for a message: its own text, in which each value of the message is one sign, and the values. So whoever reads its
 * structure, such as where a query begins, reads what the route says, and no value can change it.
 *
 * @param text of the route, with {@link #VALUE} in place of each value
 * @param values in their order
 */
record FilledText(String text, List<String> values) {
    /** Takes the place of each value. */
    static final char VALUE = '\uE000';

    /** Where a function begins. */
    static final Pattern BEGIN = Pattern.compile("\\$(?:simple)?\\{");

    static final FilledText EMPTY = new FilledText("", List.of());

    private static final char END = '\uE001';
    /** The end of a value that the route means to be empty for some messages. */
    private static final char END_OF_PART = '\uE002';

    private static final String MARKS = "" + VALUE + END + END_OF_PART;
    private static final Pattern MARKED = Pattern.compile(VALUE + "([^" + MARKS + "]*+)([" + END + END_OF_PART + "])");
    private static final Pattern EMPTY_BRANCH =
            Pattern.compile("[?:]\\s*(?:''|\"\")|\\biif\\(.*,\\s*(?:''|\"\")\\s*[,)]", Pattern.DOTALL);

    private static final Pattern MARK = Pattern.compile("[" + MARKS + "]");

    /**
     * The text of the language simple with a mark around each of its functions; empty if there is none, or its end is missing. A function with an
     * empty branch, such as {@code ${header.eu == true ? '-eu' : ''}}, may have no value.
     */
    static Optional<String> marked(String text) {
        StringBuilder marked = new StringBuilder();
        Matcher begin = BEGIN.matcher(text);
        int depth = 0;
        int function = 0;
        for (int at = 0; at < text.length(); at++) {
            if (begin.region(at, text.length()).lookingAt()) {
                function = depth == 0 ? at : function;
                marked.append(depth++ == 0 ? String.valueOf(VALUE) : "").append(begin.group());
                at = begin.end() - 1;
                continue;
            }
            marked.append(text.charAt(at));
            if (depth > 0 && text.charAt(at) == '}' && --depth == 0) {
                marked.append(EMPTY_BRANCH.matcher(text.substring(function, at)).find() ? END_OF_PART : END);
            }
        }
        return depth == 0 && marked.length() > text.length() ? Optional.of(marked.toString()) : Optional.empty();
    }

    /** A text that is a value. */
    static FilledText ofValue(String value) {
        return new FilledText(String.valueOf(VALUE), List.of(value));
    }

    /** A placeholder of a template with the same marks. One with an empty default, such as {@code ${suffix:}}, may have no value. */
    static String withMarks(String placeholder) {
        return VALUE + placeholder + (placeholder.endsWith(":}") ? END_OF_PART : END);
    }

    /** The text of the language simple with {@link #VALUE} in place of each function; empty as for {@link #marked}. */
    static Optional<String> sample(String text) {
        return marked(text).map(FilledText::sampleOf);
    }

    /** A marked text with {@link #VALUE} in place of what is marked. */
    static String sampleOf(String marked) {
        return MARKED.matcher(marked).replaceAll(String.valueOf(VALUE));
    }

    /**
     * What a marked text has given for a message. An empty value that the route means is no value.
     *
     * @param marks those of the text of the route
     * @throws FieldException if a value has a mark itself, or Camel has computed something else than the text with a value for each function
     */
    static FilledText of(List<String> marks, String computed) {
        if (!marks(computed).equals(marks)) {
            throw new FieldException("A value of the message has the sign U+E000, U+E001 or U+E002, which belongs to no"
                    + " language, in a text that the route computes; or the text has an operator outside of ${...}");
        }
        List<String> values = new ArrayList<>();
        String text = MARKED.matcher(computed).replaceAll(each -> {
            if (each.group(1).isEmpty() && each.group(2).charAt(0) == END_OF_PART) {
                return "";
            }
            values.add(each.group(1));
            return String.valueOf(VALUE);
        });
        return new FilledText(text, values);
    }

    /** The marks in a text. */
    static List<String> marks(String marked) {
        return MARK.matcher(marked).results().map(MatchResult::group).toList();
    }

    boolean hasValue() {
        return !values.isEmpty();
    }

    /** Whether the text begins with a value, which then says what it is. */
    boolean beginsWithValue() {
        return text.indexOf(VALUE) == 0;
    }

    /** This text with its first value as if the route had written it: it says what address the text is. */
    FilledText withFirstGiven() {
        int at = text.indexOf(VALUE);
        return new FilledText(
                text.substring(0, at) + values.get(0) + text.substring(at + 1), values.subList(1, values.size()));
    }

    /** Whether the route writes nothing beside the values. */
    boolean isValue() {
        return hasValue() && values.size() == text.length();
    }

    /** The text of the message. */
    String whole() {
        return with(UnaryOperator.identity(), UnaryOperator.identity());
    }

    /** The text of the message, with what the route writes and the values changed. */
    String with(UnaryOperator<String> ofRoute, UnaryOperator<String> ofMessage) {
        if (values.isEmpty()) {
            return ofRoute.apply(text);
        }
        StringBuilder whole = new StringBuilder();
        int at = 0;
        for (String value : values) {
            int next = text.indexOf(VALUE, at);
            whole.append(ofRoute.apply(text.substring(at, next))).append(ofMessage.apply(value));
            at = next + 1;
        }
        return whole.append(ofRoute.apply(text.substring(at))).toString();
    }

    /** This text with what the route writes changed. */
    FilledText withRoute(UnaryOperator<String> change) {
        return new FilledText(
                new FilledText(
                                text,
                                values.stream()
                                        .map(value -> String.valueOf(VALUE))
                                        .toList())
                        .with(change, UnaryOperator.identity()),
                values);
    }

    private static int count(String text) {
        return (int) text.chars().filter(each -> each == VALUE).count();
    }

    /** A part of it. @param from place in the text, up to {@code to} */
    FilledText part(int from, int to) {
        String part = text.substring(from, to);
        int first = count(text.substring(0, from));
        return new FilledText(part, values.subList(first, first + count(part)));
    }

    FilledText from(int from) {
        return part(from, text.length());
    }

    /** Without spaces of the route at its beginning and end. */
    FilledText strip() {
        int from = text.length() - text.stripLeading().length();
        return part(from, Math.max(from, text.stripTrailing().length()));
    }

    /** What is before a text of the route, and what is behind it, which is empty if the route does not have it. */
    FilledText before(String separator) {
        int at = text.indexOf(separator);
        return at < 0 ? this : part(0, at);
    }

    FilledText behind(String separator) {
        int at = text.indexOf(separator);
        return at < 0 ? EMPTY : from(at + separator.length());
    }
}
