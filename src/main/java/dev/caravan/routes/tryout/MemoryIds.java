package dev.caravan.routes.tryout;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** Stores the ids of a JDBC idempotent repository in memory, and answers its statements. */
final class MemoryIds {
    private static final Pattern STATEMENT = Pattern.compile(
            "SELECT COUNT\\(\\*\\) FROM \\S+ WHERE processorName = \\? AND messageId = \\?"
                    + "|INSERT INTO \\S+ \\(processorName, messageId, createdAt\\) VALUES \\(\\?, \\?, \\?\\)"
                    + "|DELETE FROM \\S+ WHERE processorName = \\?( AND messageId = \\?)?"
                    + "|SELECT 1 FROM \\S+ WHERE 1 = 0",
            Pattern.CASE_INSENSITIVE);

    private final Set<List<Object>> ids = ConcurrentHashMap.newKeySet();
    private volatile boolean used;

    boolean used() {
        return used;
    }

    void clear() {
        ids.clear();
    }

    /** The number that the statement selects, or the number of changed rows; empty if it is another statement. */
    Optional<Integer> result(String statement, List<Object> parameters) {
        if (!STATEMENT.matcher(statement).matches()) {
            return Optional.empty();
        }
        used = true;
        List<Object> id = parameters.stream().limit(2).toList();
        return Optional.of(
                switch (Character.toUpperCase(statement.charAt(0))) {
                    case 'I' -> ids.add(id) ? 1 : 0;
                    case 'D' -> ids.removeIf(each -> each.subList(0, id.size()).equals(id)) ? 1 : 0;
                    default -> ids.contains(id) ? 1 : 0;
                });
    }

    static boolean handles(String statement) {
        return STATEMENT.matcher(statement).matches();
    }
}
