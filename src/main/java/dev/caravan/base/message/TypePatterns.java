package dev.caravan.base.message;

import java.util.Arrays;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Converts patterns of message types, such as {@code order.*,booking.confirmed}, to SQL {@code LIKE} patterns. */
public final class TypePatterns {
    private static final Pattern OTHER_SEPARATOR = Pattern.compile("[;|]|[^,\\s]\\s+[^,\\s]");

    private TypePatterns() {}

    /** Whether no pattern is blank. A blank pattern matches no message, so that all messages would count as delivered. */
    public static boolean areValid(String types) {
        return Arrays.stream(types.split(",", -1)).noneMatch(String::isBlank);
    }

    /** Whether patterns seem to be separated by something other than a comma. They are then read as a single pattern. */
    public static boolean hasOtherSeparator(String types) {
        return OTHER_SEPARATOR.matcher(types).find();
    }

    /** The patterns. */
    public static Stream<String> each(String types) {
        return Arrays.stream(types.split(",")).map(String::strip);
    }

    /** As patterns of SQL, each once; only the pattern of all types if it is among them. */
    public static String[] like(String types) {
        return (each(types).anyMatch("*"::equals) ? Stream.of("*") : each(types).distinct())
                .map(type -> type.replace("\\", "\\\\")
                        .replace("%", "\\%")
                        .replace("_", "\\_")
                        .replace("*", "%"))
                .toArray(String[]::new);
    }

    /** Whether a type matches one of the patterns, as it does in the database. */
    public static boolean match(String types, String type) {
        return matching(types).test(type);
    }

    /** The types that match one of the patterns, as they do in the database. */
    public static Predicate<String> matching(String types) {
        return each(types)
                .map(pattern -> Arrays.stream(pattern.split("\\*", -1))
                        .map(Pattern::quote) // also a type that contains \E, as App\Event does
                        .collect(Collectors.joining(".*")))
                .map(regex -> Pattern.compile(regex, Pattern.DOTALL).asMatchPredicate())
                .reduce(type -> false, Predicate::or);
    }
}
