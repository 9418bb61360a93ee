package dev.caravan.adopt.capture;

import dev.caravan.adopt.file.Located;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One message of a capture: which change of a row writes it, and its content.
 *
 * @param number number in the file, from 1
 * @param type message type; {@code {column}} is replaced by the value of a column
 * @param of an update is captured only if one of these columns has changed; empty for any column
 * @param when SQL condition with {@code new} and {@code old}
 * @param payloadColumns for {@code VALUE}: the column whose value is the payload
 * @param headers columns by name of the header
 */
record CapturedEvent(
        int number,
        Operation on,
        Located type,
        List<Located> of,
        Optional<Located> when,
        Payload payload,
        List<Located> payloadColumns,
        Map<String, Located> headers) {

    enum Operation {
        INSERT,
        UPDATE,
        DELETE,
        TRUNCATE
    }

    enum Payload {
        ROW,
        COLUMNS,
        VALUE,
        OLD_AND_NEW,
        NONE
    }

    private static final Pattern IN_TYPE = Pattern.compile("\\{([^{}]+)}");
    private static final Pattern IN_CONDITION =
            Pattern.compile("\\b(?:old|new)\\.(?:\"([^\"]+)\"|([a-z_][a-z0-9_$]*))", Pattern.CASE_INSENSITIVE);

    /** The parts of the type: text and names of columns alternate, beginning with text. */
    List<String> typeParts() {
        return List.of(IN_TYPE.matcher(type.text()).replaceAll("\u0000$1\u0000").split("\u0000", -1));
    }

    /** The types of its messages as a LIKE pattern. */
    String typePattern() {
        List<String> parts = typeParts();
        return IntStream.range(0, parts.size())
                .mapToObj(i -> i % 2 == 1 ? "%" : parts.get(i).replaceAll("([\\\\%_])", "\\\\$1"))
                .collect(Collectors.joining());
    }

    /** Each column that the event uses, with its line in the file. */
    Stream<Located> columns() {
        Stream<Located> inType =
                IN_TYPE.matcher(type.text()).results().map(found -> new Located(found.group(1), type.line()));
        Stream<Located> inCondition = when.stream().flatMap(condition -> IN_CONDITION
                .matcher(withoutLiterals(condition.text()))
                .results()
                .map(found -> new Located(
                        found.group(1) == null ? found.group(2).toLowerCase(Locale.ROOT) : found.group(1),
                        condition.line())));
        return Stream.of(inType, inCondition, of.stream(), payloadColumns.stream(), headers.values().stream())
                .flatMap(columns -> columns);
    }

    /** The line to report when Postgres refuses its trigger. */
    int line() {
        return when.orElse(type).line();
    }

    /** The row whose values the message has. */
    String row() {
        return on == Operation.DELETE ? "old" : "new";
    }

    private static String withoutLiterals(String condition) {
        return condition.replaceAll("'[^']*'", Matcher.quoteReplacement("''"));
    }
}
