package dev.caravan.adopt.doctor;

import dev.caravan.adopt.doctor.Examination.Needs;
import dev.caravan.base.text.Span;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Messages that wait too long, and published ones that are not removed. */
final class BacklogExaminations {
    private static final Duration STUCK = Duration.ofMinutes(5);
    private static final Duration STUCK_CRITICAL = Duration.ofDays(1);
    private static final Duration KEPT = Duration.ofDays(30);
    private static final long MANY_ROWS = 100_000;
    /** A message without a time of creation is stuck when at least this many newer ones are published. */
    private static final int MANY_NEWER = 1_000;

    private BacklogExaminations() {}

    static List<Examination> all() {
        return List.of(
                new Examination("oldest pending message", Needs.PENDING, BacklogExaminations::oldestPending),
                new Examination("published messages that are kept", Needs.PENDING, BacklogExaminations::kept));
    }

    /**
     * @param id shown only if it is a number or a uuid
     * @param age empty without a time of creation
     * @param newer newer published messages, counted up to a bound
     */
    private record Oldest(Optional<String> id, Optional<Duration> age, long newer) {
        boolean isStuck() {
            return age.map(old -> newer > 0 && old.compareTo(STUCK) >= 0).orElse(newer >= MANY_NEWER);
        }

        boolean isLate() {
            return newer == 0 && age.filter(old -> old.compareTo(STUCK) >= 0).isPresent();
        }

        Severity severity() {
            return age.filter(old -> old.compareTo(STUCK_CRITICAL) >= 0).isPresent()
                    ? Severity.CRITICAL
                    : Severity.WARNING;
        }

        String name() {
            return id.map(shown -> "message " + shown).orElse("the oldest message")
                    + age.map(old -> " has waited for " + Span.text(old)).orElse(" waits");
        }
    }

    private static void oldestPending(Target target, Consumer<Finding> found) throws SQLException {
        MessageTable table = target.table();
        List<Oldest> oldest = target.rows(
                "adopt/oldest_pending",
                Map.of("most", Integer.toString(MANY_NEWER)),
                row -> new Oldest(
                        Optional.ofNullable(row.getString("id")),
                        seconds(row.getLong("seconds"), row.wasNull()),
                        row.getLong("newer")));
        for (Oldest message : oldest) {
            if (message.isStuck()) {
                found.accept(new Finding(
                        FindingKind.STUCK_MESSAGE,
                        message.severity(),
                        table.quoted(),
                        message.name() + ", " + counted(message.newer()) + " newer published",
                        "Look at the log of the publisher for this message. Correct it, or move it to another table, and publish it"
                                + " again.",
                        select(table, message)));
            } else if (message.isLate()) {
                found.accept(new Finding(
                        FindingKind.NOTHING_PUBLISHED,
                        message.severity(),
                        table.quoted(),
                        message.name() + pending(target),
                        "Check whether the publisher runs, and what its log says about the first message.",
                        select(table, message)));
            }
        }
    }

    private static Optional<Duration> seconds(long seconds, boolean isNull) {
        return isNull ? Optional.empty() : Optional.of(Duration.ofSeconds(seconds));
    }

    private static String counted(long newer) {
        return String.format(Locale.ROOT, "%,d%s", newer, newer >= MANY_NEWER ? " or more" : "");
    }

    private static String pending(Target target) throws SQLException {
        long most = 10_000;
        long pending = target.rows(
                        "adopt/pending_count", Map.of("most", Long.toString(most)), row -> row.getLong("pending"))
                .get(0);
        return String.format(Locale.ROOT, ", %,d%s pending", pending, pending >= most ? " or more" : "");
    }

    private static String select(MessageTable table, Oldest message) {
        return message.id()
                .map(id -> "select * from " + table.quoted() + " where "
                        + table.columns().id().get().quoted() + " = "
                        + (table.columns().id().get().isInteger() ? id : "'" + id + "'") + ";")
                .orElse("");
    }

    /** Looks for old published rows at the beginning of the order, where a cleanup begins. */
    private static void kept(Target target, Consumer<Finding> found) throws SQLException {
        MessageTable table = target.table();
        if (table.rows() < MANY_ROWS || table.columns().createdAt().isEmpty()) {
            return;
        }
        List<Optional<Duration>> oldest =
                target.rows("adopt/oldest_published", row -> seconds(row.getLong("seconds"), row.wasNull()));
        oldest.stream()
                .flatMap(Optional::stream)
                .filter(age -> age.compareTo(KEPT) >= 0)
                .forEach(age -> found.accept(new Finding(
                        FindingKind.PUBLISHED_ROWS_KEPT,
                        Severity.WARNING,
                        table.quoted(),
                        String.format(
                                Locale.ROOT,
                                "about %,d rows, the oldest published %s old",
                                table.rows(),
                                Span.text(age)),
                        "Remove published rows in chunks, or better: partition by id or time of creation, and drop whole partitions."
                                + " Repeat the statement until it deletes nothing.",
                        deletion(table))));
    }

    private static String deletion(MessageTable table) {
        return table.columns()
                .id()
                .map(id -> "delete from " + table.quoted() + " where " + id.quoted() + " in (select " + id.quoted()
                        + " from " + table.quoted() + " where ("
                        + table.pending().get().sql()
                        + ") is not true and "
                        + table.columns().createdAt().get().quoted()
                        + " < now() - interval '30 days' limit 10000);")
                .orElse("");
    }
}
