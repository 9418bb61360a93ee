package dev.caravan.adopt.doctor;

import dev.caravan.adopt.doctor.Examination.Needs;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The order of messages, their times, and their identity. */
final class OrderExaminations {
    private OrderExaminations() {}

    static List<Examination> all() {
        return List.of(
                new Examination("order of the messages", Needs.ROWS, OrderExaminations::order),
                new Examination("types and defaults of times", Needs.TABLE, OrderExaminations::times),
                new Examination("message ids of the latest messages", Needs.ROWS, OrderExaminations::duplicates));
    }

    private static void order(Target target, Consumer<Finding> found) throws SQLException {
        MessageColumns columns = target.table().columns();
        if (columns.isOrderedByTime()) {
            byTime(target, columns.order().get(), "order of the table", found);
        }
    }

    /**
     * Reports that messages are published in the order of a time, with the number of messages that this affects.
     *
     * @param reader who uses this order
     */
    static void byTime(Target target, Column time, String reader, Consumer<Finding> found) throws SQLException {
        MessageTable table = target.table();
        Optional<Column> numbered = table.columns().id().filter(id -> id.isInteger() && id.sequence() != 0);
        record Compared(long examined, long older, long same) {}
        Compared latest = target.rows(
                        numbered.isPresent() ? "adopt/inversions" : "adopt/same_times",
                        Map.of(
                                "time",
                                time.quoted(),
                                "id",
                                numbered.map(Column::quoted).orElse("")),
                        row -> new Compared(row.getLong("examined"), row.getLong("older"), row.getLong("same")))
                .get(0);
        boolean isWrong = latest.older() > 0 || latest.same() > 0;
        found.accept(new Finding(
                FindingKind.TIME_ORDER,
                isWrong ? Severity.WARNING : Severity.NOTE,
                table.quoted() + "." + time.name() + " (" + reader + ")",
                String.format(
                        Locale.ROOT,
                        "of the latest %,d: %s%,d with the time of another",
                        latest.examined(),
                        numbered.isPresent()
                                ? String.format(Locale.ROOT, "%,d older than the one before, ", latest.older())
                                : "",
                        latest.same()),
                numbered.isPresent()
                        ? "Order by " + numbered.get().name() + "."
                        : "Add a column that a sequence numbers, and order by it.",
                numbered.isPresent()
                        ? ""
                        : "alter table " + table.quoted() + " add position bigint generated always as identity;"));
    }

    private static void times(Target target, Consumer<Finding> found) {
        MessageTable table = target.table();
        for (Column column : table.columns().all()) {
            if (column.type().equals("timestamp without time zone")) {
                found.accept(new Finding(
                        FindingKind.TIMESTAMP_WITHOUT_ZONE,
                        Severity.NOTE,
                        table.quoted() + "." + column.name(),
                        "type timestamp without time zone",
                        "Use timestamptz. Replace UTC by the zone in which the values were written. The change rewrites the table.",
                        "alter table " + table.quoted() + " alter " + column.quoted() + " type timestamptz using "
                                + column.quoted() + " at time zone 'UTC';"));
            }
        }
        table.columns()
                .createdAt()
                .filter(created -> created.defaultValue() == null && !created.generated())
                .ifPresent(created -> found.accept(new Finding(
                        FindingKind.TIMESTAMP_WITHOUT_DEFAULT,
                        Severity.NOTE,
                        table.quoted() + "." + created.name(),
                        "no default",
                        "Let the database set the time, and omit the column in inserts.",
                        "alter table " + table.quoted() + " alter " + created.quoted()
                                + " set default clock_timestamp();")));
    }

    private static void duplicates(Target target, Consumer<Finding> found) throws SQLException {
        MessageTable table = target.table();
        Optional<Column> messageId =
                table.columns().messageId().filter(column -> !column.unique() && !column.primaryKey());
        if (messageId.isEmpty()) {
            return;
        }
        record Counted(long examined, long repeated) {}
        Counted latest = target.rows(
                        "adopt/duplicates",
                        Map.of("message-id", messageId.get().quoted()),
                        row -> new Counted(row.getLong("examined"), row.getLong("repeated")))
                .get(0);
        if (latest.repeated() > 0) {
            found.accept(new Finding(
                    FindingKind.DUPLICATE_MESSAGE_IDS,
                    Severity.CRITICAL,
                    table.quoted() + "." + messageId.get().name(),
                    String.format(
                            Locale.ROOT, "%,d of the latest %,d are repeated", latest.repeated(), latest.examined()),
                    "Generate a new id for each message, and let a unique index refuse repeated ones. Correct the repeated ids first.",
                    table.isPartitioned()
                            ? ""
                            : "create unique index concurrently on " + table.quoted() + " ("
                                    + messageId.get().quoted() + ");"));
        }
    }
}
