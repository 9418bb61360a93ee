package dev.caravan.adopt.doctor;

import dev.caravan.adopt.doctor.Examination.Needs;
import dev.caravan.base.text.SqlText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The ids of messages, and the sequence that assigns them. */
final class IdExaminations {
    private static final Map<String, Long> LARGEST =
            Map.of("smallint", (long) Short.MAX_VALUE, "integer", (long) Integer.MAX_VALUE, "bigint", Long.MAX_VALUE);
    private static final double WARNING_SHARE = 0.5;
    private static final double CRITICAL_SHARE = 0.8;

    private IdExaminations() {}

    /** @param lastValue empty before the first use, or without the right to read it */
    private record Sequence(
            String quoted,
            long cache,
            long increment,
            long maximum,
            boolean cycles,
            boolean readable,
            Optional<Long> lastValue) {
        static Sequence read(ResultSet row) throws SQLException {
            return new Sequence(
                    row.getString("quoted"),
                    row.getLong("cache"),
                    row.getLong("increment"),
                    row.getLong("maximum"),
                    row.getBoolean("cycles"),
                    row.getBoolean("readable"),
                    number(row, "last_value"));
        }
    }

    static List<Examination> all() {
        return List.of(
                new Examination("width of the ids", Needs.TABLE, IdExaminations::width),
                new Examination("sequence of the ids", Needs.TABLE, IdExaminations::sequence),
                new Examination("highest id and its sequence", Needs.ROWS, IdExaminations::highest));
    }

    private static void width(Target target, Consumer<Finding> found) {
        MessageTable table = target.table();
        integerId(table)
                .filter(id -> !id.type().equals("bigint"))
                .ifPresent(id -> found.accept(new Finding(
                        FindingKind.NARROW_IDS,
                        Severity.NOTE,
                        table.quoted() + "." + id.name(),
                        String.format(Locale.ROOT, "%s: at most %,d ids", id.type(), LARGEST.get(id.type())),
                        "Use bigint. The change rewrites the table and blocks it meanwhile: a new table is often easier.",
                        wider(table, id))));
    }

    private static Optional<Column> integerId(MessageTable table) {
        return table.columns().id().filter(Column::isInteger);
    }

    private static String wider(MessageTable table, Column id) {
        return "alter table " + table.quoted() + " alter " + id.quoted() + " type bigint;";
    }

    /** Skips the outbox of Caravan: its sequence is examined with the other conditions of Caravan. */
    private static void sequence(Target target, Consumer<Finding> found) throws SQLException {
        Optional<Sequence> numbering = numbering(target);
        if (numbering.isEmpty() || target.table().ofCaravan()) {
            return;
        }
        Sequence sequence = numbering.get();
        if (sequence.cache() > 1) {
            found.accept(new Finding(
                    FindingKind.SEQUENCE_CACHE,
                    Severity.WARNING,
                    sequence.quoted(),
                    "cache " + sequence.cache(),
                    "Set the cache to 1. Sessions use up the ids that they have drawn already.",
                    "alter sequence " + sequence.quoted() + " cache 1;"));
        }
        if (sequence.cycles()) {
            found.accept(new Finding(
                    FindingKind.SEQUENCE_CYCLES,
                    Severity.WARNING,
                    sequence.quoted(),
                    String.format(Locale.ROOT, "starts again after %,d", sequence.maximum()),
                    "Let the sequence end instead, and monitor its last value.",
                    "alter sequence " + sequence.quoted() + " no cycle;"));
        }
        if (sequence.increment() != 1) {
            found.accept(new Finding(
                    FindingKind.SEQUENCE_INCREMENT,
                    Severity.WARNING,
                    sequence.quoted(),
                    "increment " + sequence.increment(),
                    "Increment by 1, unless several servers share the numbers.",
                    "alter sequence " + sequence.quoted() + " increment by 1;"));
        }
    }

    private static Optional<Sequence> numbering(Target target) throws SQLException {
        Optional<Column> numbered = integerId(target.table()).filter(id -> id.sequence() != 0);
        return numbered.isEmpty()
                ? Optional.empty()
                : target.query("adopt/sequence", Sequence::read, numbered.get().sequence()).stream()
                        .findFirst();
    }

    private static void highest(Target target, Consumer<Finding> found) throws SQLException {
        MessageTable table = target.table();
        if (integerId(table).isEmpty()) {
            return;
        }
        Column id = integerId(table).get();
        Optional<Long> highest = target.rows(
                        "adopt/highest_id", Map.of("id", id.quoted()), row -> number(row, "highest"))
                .get(0);
        // Read after the ids, because inserts continue.
        Optional<Sequence> sequence = numbering(target);
        runsOut(table, id, highest, sequence, found);
        if (sequence.isEmpty() || table.ofCaravan()) {
            return;
        }
        if (!sequence.get().readable()) {
            throw new Examination.NotPossible(
                    "the role may not read the sequence",
                    "grant select on sequence " + sequence.get().quoted() + " to it");
        }
        long last = sequence.get().lastValue().orElse(0L);
        if (sequence.get().increment() > 0 && highest.orElse(0L) > last) {
            found.accept(new Finding(
                    FindingKind.SEQUENCE_BEHIND,
                    Severity.CRITICAL,
                    sequence.get().quoted(),
                    String.format(Locale.ROOT, "at %,d, but the table contains id %,d", last, highest.get()),
                    "Set the sequence to the highest id. Find out who inserts rows with explicit ids, or which restore did not set the sequence.",
                    "select setval(" + SqlText.literal(sequence.get().quoted()) + ", " + highest.get() + ");"));
        }
    }

    private static void runsOut(
            MessageTable table,
            Column id,
            Optional<Long> highest,
            Optional<Sequence> sequence,
            Consumer<Finding> found) {
        long largest =
                Math.min(LARGEST.get(id.type()), sequence.map(Sequence::maximum).orElse(Long.MAX_VALUE));
        long reached = Math.max(
                highest.orElse(0L), sequence.flatMap(Sequence::lastValue).orElse(0L));
        double share = (double) reached / largest;
        if (share < WARNING_SHARE) {
            return;
        }
        boolean isNarrow = LARGEST.get(id.type()) <= largest;
        found.accept(new Finding(
                FindingKind.IDS_RUN_OUT,
                share < CRITICAL_SHARE ? Severity.WARNING : Severity.CRITICAL,
                table.quoted() + "." + id.name(),
                String.format(Locale.ROOT, "%.1f %% used: %,d of %,d", 100 * share, reached, largest),
                isNarrow
                        ? "Change the column to bigint in time. The change rewrites the table and blocks it meanwhile: a new table is"
                                + " often easier."
                        : "Raise the maximum of the sequence.",
                isNarrow ? wider(table, id) : "alter sequence " + sequence.get().quoted() + " no maxvalue;"));
    }

    private static Optional<Long> number(ResultSet row, String column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? Optional.empty() : Optional.of(value);
    }
}
