package dev.caravan.adopt.capture;

import dev.caravan.adopt.file.Located;
import dev.caravan.adopt.file.YamlFields;
import dev.caravan.engine.store.LaneId;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * How a table is handed over from a poller of the application: the section {@code take-over} of a capture file.
 *
 * @param subscription the subscription that delivers the rows instead of the poller
 * @param pending condition of a row that still has to be sent
 * @param mark how a row is hidden from the poller: {@code delete}, or assignments
 * @param unmark assignments that make a row pending again, if its message does not have the whole row
 * @param key columns that identify a row; empty for the primary key
 * @param order columns in whose order pending rows are copied; empty for the key
 */
record TakeOver(
        int line,
        Located subscription,
        Located pending,
        Located mark,
        Optional<Located> unmark,
        List<Located> key,
        List<Located> order) {
    static final Set<String> FIELDS = Set.of("subscription", "pending", "mark", "unmark", "key", "order");
    private static final String DELETE = "delete";

    static TakeOver of(YamlFields fields) {
        TakeOver takeOver = new TakeOver(
                fields.line(),
                fields.required("subscription"),
                fields.required("pending"),
                fields.required("mark"),
                fields.text("unmark"),
                fields.texts("key"),
                fields.texts("order"));
        String subscription = takeOver.subscription().text();
        if (!subscription.isEmpty() && !LaneId.isName(subscription)) {
            fields.problem(
                    takeOver.subscription().line(),
                    "subscription must be a name of lower-case letters, digits, dots, dashes and underscores, and begin with a"
                            + " letter or digit");
        }
        SqlTokens pending = SqlTokens.of(takeOver.pending().text());
        if (pending.dependsOnTime()) {
            fields.problem(
                    takeOver.pending().line(),
                    "pending must not depend on the time: a row that becomes pending by waiting would not be captured."
                            + " Remove this part");
        }
        if (pending.hasSubquery()) {
            fields.problem(
                    takeOver.pending().line(), "pending must not have a subquery: it is the condition of a trigger");
        }
        if (!takeOver.deletes()) {
            takeOver.requireAssignments(fields, takeOver.mark(), "mark must be delete, or as after set in an update");
        }
        takeOver.unmark()
                .ifPresent(
                        text -> takeOver.requireAssignments(fields, text, "unmark must be as after set in an update"));
        return takeOver;
    }

    private void requireAssignments(YamlFields fields, Located text, String problem) {
        if (!text.text().isEmpty() && SqlTokens.of(text.text()).assignments().isEmpty()) {
            fields.problem(text.line(), problem + ", such as: sent = true, sent_at = now()");
        }
    }

    /** Whether a row is deleted instead of marked. */
    boolean deletes() {
        return mark.text().toLowerCase(Locale.ROOT).equals(DELETE);
    }

    /** The columns that are set to hide a row, with their values; empty if it is deleted. */
    Map<String, String> marks() {
        return deletes() ? Map.of() : SqlTokens.of(mark.text()).assignments().orElseThrow();
    }

    /** The columns that {@link #unmark} sets, with their values. */
    Map<String, String> unmarks() {
        return unmark.flatMap(text -> SqlTokens.of(text.text()).assignments()).orElse(Map.of());
    }
}
