package dev.caravan.adopt.doctor;

import dev.caravan.base.text.SqlText;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The condition for pending messages.
 *
 * @param sql the condition
 * @param reason how it was recognized
 */
public record PendingRows(String sql, String reason) {
    private static final List<String> PENDING_VALUES = List.of(
            "pending",
            "new",
            "created",
            "unsent",
            "unpublished",
            "not_sent",
            "not_published",
            "unprocessed",
            "ready",
            "waiting",
            "queued",
            "enqueued",
            "scheduled",
            "open",
            "init",
            "initial",
            "todo");
    private static final Pattern LITERAL =
            Pattern.compile("('(?:[^']|'')*'|-?\\d+)(?:::[\\w\" .\\[\\]]+(?:\\(\\d+\\))?)?");

    static PendingRows given(String condition) {
        return new PendingRows(condition, "given by --pending");
    }

    /**
     * @param predicates of the partial indexes of the table
     * @param values known values of a status column
     */
    public static Optional<PendingRows> of(MessageColumns columns, List<String> predicates, List<String> values) {
        return columns.published().flatMap(column -> {
            if (column.isTime()) {
                return Optional.of(new PendingRows(column.quoted() + " is null", "by column " + column.name()));
            }
            if (column.type().equals("boolean")) {
                return Optional.of(flag(column));
            }
            return ofStatus(column, predicates, values);
        });
    }

    private static PendingRows flag(Column column) {
        return new PendingRows("not " + column.quoted(), "by column " + column.name());
    }

    /**
     * @param column a status
     * @param predicates of the partial indexes of the table
     * @param values known values of the column
     */
    public static Optional<PendingRows> ofStatus(Column column, List<String> predicates, List<String> values) {
        String mention = "(?s).*\\b" + Pattern.quote(column.name()) + "\\b.*";
        Optional<PendingRows> indexed = predicates.stream()
                .filter(predicate -> predicate.matches(mention) && namesPending(predicate))
                .findFirst()
                .map(predicate -> new PendingRows(withoutParentheses(predicate), "by a partial index"));
        return byDefault(column).or(() -> indexed).or(() -> byValue(column, values));
    }

    private static Optional<PendingRows> byDefault(Column column) {
        if (column.defaultValue() == null) {
            return Optional.empty();
        }
        var literal = LITERAL.matcher(column.defaultValue());
        return literal.matches()
                ? Optional.of(new PendingRows(
                        column.quoted() + " = " + literal.group(1), "by the default of column " + column.name()))
                : Optional.empty();
    }

    private static Optional<PendingRows> byValue(Column column, List<String> values) {
        return PENDING_VALUES.stream()
                .flatMap(known -> values.stream()
                        .filter(value ->
                                value.toLowerCase(Locale.ROOT).replace(' ', '_').equals(known)))
                .findFirst()
                .map(value -> new PendingRows(
                        column.quoted() + " = " + SqlText.literal(value), "by the values of column " + column.name()));
    }

    private static boolean namesPending(String predicate) {
        String lower = predicate.toLowerCase(Locale.ROOT);
        return PENDING_VALUES.stream().anyMatch(value -> lower.contains("'" + value + "'"));
    }

    private static String withoutParentheses(String predicate) {
        return predicate.startsWith("(") && predicate.endsWith(")") && predicate.indexOf('(', 1) < 0
                ? predicate.substring(1, predicate.length() - 1)
                : predicate;
    }
}
