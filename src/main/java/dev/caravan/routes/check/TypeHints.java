package dev.caravan.routes.check;

import dev.caravan.base.message.TypePatterns;
import dev.caravan.base.text.NearestName;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.watch.Notices;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** Finds patterns of types that probably match no message: all messages of such a route would count as delivered. */
final class TypeHints {
    /** The number of newest messages whose types are compared with the patterns. */
    private static final int MESSAGES = 10_000;

    private static final Pattern EMPTY_PART = Pattern.compile("\\.\\.|^\\.|\\.$");
    private static final Pattern OTHER_WILDCARD = Pattern.compile("[%?\\[\\]^$\\\\]");

    private TypeHints() {}

    /** Hints about the text of the option. */
    static List<String> ofText(String types) {
        if (TypePatterns.hasOtherSeparator(types)) {
            return List.of("types is \"" + types + "\": patterns are separated by commas, so this is a single pattern");
        }
        return TypePatterns.each(types)
                .flatMap(pattern -> ofPattern(pattern).stream())
                .toList();
    }

    private static Optional<String> ofPattern(String pattern) {
        if (EMPTY_PART.matcher(pattern).find()) {
            return Optional.of(
                    "types has " + pattern
                            + ", with nothing before, after or between dots: it matches only types that are written in the same way");
        }
        return OTHER_WILDCARD
                .matcher(pattern)
                .results()
                .map(found -> "types has " + pattern + ": only * matches any characters, " + found.group()
                        + " matches itself")
                .findFirst();
    }

    /** The patterns that match none of the newest types. Empty if there are no types. */
    static List<String> unmatched(String types, List<String> newest) {
        List<String> hints = new ArrayList<>();
        if (newest.isEmpty()) {
            return hints;
        }
        TypePatterns.each(types)
                .filter(pattern -> Stream.concat(newest.stream(), Notices.TYPES.stream())
                        .noneMatch(type -> TypePatterns.match(pattern, type)))
                .forEach(pattern -> hints.add("no type of the newest " + MESSAGES + " messages of the outbox matches "
                        + pattern
                        + NearestName.suggestion(pattern, candidates(newest), "")));
        return hints;
    }

    /** Each type, and for each type the pattern that replaces its last part by a wildcard. */
    private static List<String> candidates(List<String> types) {
        return types.stream()
                .flatMap(type -> Stream.of(type, type.replaceFirst("\\.[^.]*$", ".*")))
                .distinct()
                .toList();
    }

    /** The types of the newest messages of the outbox. */
    static List<String> newest(DataSource database) throws SQLException {
        return Transaction.run(database, connection -> Sql.file("routes/recent_types")
                .with("messages", MESSAGES)
                .query(connection, row -> row.getString("type")));
    }
}
