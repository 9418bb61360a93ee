package dev.caravan.adopt.doctor;

import dev.caravan.adopt.doctor.Examination.Needs;
import dev.caravan.adopt.doctor.Plan.Node;
import dev.caravan.base.text.Formatted;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The indexes of the table, and how they serve a poll. */
final class IndexExaminations {
    private static final long MANY_SORTED = 1_000;

    private IndexExaminations() {}

    static List<Examination> all() {
        return List.of(
                new Examination("indexes", Needs.TABLE, IndexExaminations::indexes),
                new Examination("indexes of the partitions", Needs.TABLE, IndexExaminations::partitions),
                new Examination("plan of a poll", Needs.PENDING, IndexExaminations::poll));
    }

    /**
     * An index of the table or of one of its partitions.
     *
     * @param predicate null if it contains all rows
     * @param columns its key columns
     */
    private record Index(
            String quoted,
            String name,
            boolean partitioned,
            boolean valid,
            boolean building,
            String predicate,
            List<String> columns,
            long bytes) {
        static Index read(ResultSet row) throws SQLException {
            return new Index(
                    row.getString("quoted"),
                    row.getString("name"),
                    row.getBoolean("partitioned"),
                    row.getBoolean("valid"),
                    row.getBoolean("building"),
                    row.getString("predicate"),
                    VacuumExaminations.texts(row, "columns"),
                    row.getLong("bytes"));
        }
    }

    private static List<Index> all(Target target) throws SQLException {
        return target.query("adopt/indexes", Index::read, target.table().parts());
    }

    private static void indexes(Target target, Consumer<Finding> found) throws SQLException {
        MessageTable table = target.table();
        Optional<String> published = table.columns().published().map(Column::name);
        List<Index> all = all(target);
        for (Index index : all) {
            if (!index.valid() && !index.building() && !index.partitioned()) {
                found.accept(new Finding(
                        FindingKind.INVALID_INDEX,
                        Severity.WARNING,
                        index.quoted(),
                        "invalid, " + Formatted.bytes(index.bytes()),
                        "Build it again, or drop it.",
                        "reindex index concurrently " + index.quoted() + ";"));
            }
        }
        List<Index> withPublished = all.stream()
                .filter(index -> index.predicate() == null
                        && published.filter(index.columns()::contains).isPresent())
                .toList();
        if (!withPublished.isEmpty() && !table.ofCaravan()) {
            Index first = withPublished.get(0);
            found.accept(new Finding(
                    FindingKind.PUBLISHED_INDEXED,
                    Severity.WARNING,
                    first.quoted(),
                    "contains " + published.get() + ", "
                            + Formatted.bytes(withPublished.stream()
                                    .mapToLong(Index::bytes)
                                    .sum()),
                    "Replace it by a partial index that contains only pending messages.",
                    replacement(table)
                            + (table.isPartitioned() ? "" : "\ndrop index concurrently " + first.quoted() + ";")));
        }
    }

    /** The statement that creates the index of a poll; empty if it is unknown what is pending. */
    private static String replacement(MessageTable table) {
        if (table.pending().isEmpty() || table.columns().order().isEmpty()) {
            return "";
        }
        // A partitioned table allows no CONCURRENTLY.
        return "create index " + (table.isPartitioned() ? "" : "concurrently ") + "on " + table.quoted() + " ("
                + table.columns().order().get().quoted() + ") where "
                + table.pending().get().sql() + ";";
    }

    private static void partitions(Target target, Consumer<Finding> found) throws SQLException {
        MessageTable table = target.table();
        if (!table.isPartitioned()) {
            return;
        }
        record Missing(String definition, long having, long leaves, List<String> names) {}
        List<Missing> all = target.query(
                "adopt/partitions_without_index",
                row -> new Missing(
                        row.getString("definition"),
                        row.getLong("having_it"),
                        row.getLong("leaves"),
                        VacuumExaminations.texts(row, "missing")),
                table.parts(),
                table.parts());
        for (Missing missing : all) {
            found.accept(new Finding(
                    FindingKind.PARTITION_WITHOUT_INDEX,
                    Severity.WARNING,
                    table.quoted() + " " + missing.definition(),
                    String.format(
                            Locale.ROOT,
                            "%,d of %,d partitions lack it: %s",
                            missing.leaves() - missing.having(),
                            missing.leaves(),
                            String.join(", ", missing.names())
                                    + (missing.leaves() - missing.having()
                                                    > missing.names().size()
                                            ? " …"
                                            : "")),
                    "Create it on these partitions, and on the partitioned table, so that new partitions get it.",
                    "create index concurrently on " + missing.names().get(0) + " using " + missing.definition() + ";"));
        }
    }

    private static void poll(Target target, Consumer<Finding> found) throws SQLException {
        MessageTable table = target.table();
        List<Index> indexes = all(target);
        if (!table.isLarge()) {
            // Plans the poll as for a large table: a small table is always read as a whole.
            target.set("enable_seqscan = off");
            target.set("enable_bitmapscan = off");
        }
        Plan plan = target.plan(target.sql("adopt/poll", Map.of()));
        Optional<Node> scan = plan.nodes().stream()
                .filter(node -> node.isFullScan() || node.isIndexScan() && scansWholeIndex(node, indexes))
                .findFirst();
        Optional<Index> whole = plan.nodes().stream()
                .filter(node -> node.isIndexScan() && node.isCondition())
                .flatMap(node -> indexes.stream()
                        .filter(index -> index.name().equals(node.index()) && index.predicate() == null))
                .findFirst();
        Severity severity = table.isLarge() ? Severity.WARNING : Severity.NOTE;
        // On a small table the plan may not use the partial index.
        if (scan.isPresent() && (table.isLarge() || !hasPartial(table, indexes))) {
            found.accept(new Finding(
                    FindingKind.POLL_WITHOUT_INDEX,
                    severity,
                    table.quoted(),
                    String.format(
                            Locale.ROOT,
                            "%s, about %s",
                            scan.get().isFullScan()
                                    ? "full scan"
                                    : "full scan of index " + scan.get().index(),
                            Formatted.counted(table.rows(), "row")),
                    advice(table),
                    replacement(table)));
        } else if (whole.isPresent()) {
            found.accept(new Finding(
                    FindingKind.POLL_INDEX_NOT_PARTIAL,
                    Severity.NOTE,
                    whole.get().quoted(),
                    "not partial, " + Formatted.bytes(whole.get().bytes()),
                    advice(table),
                    replacement(table)));
        }
        plan.nodes().stream()
                .filter(Node::isSort)
                .mapToLong(node -> node.rows())
                .max()
                .ifPresent(sorted -> found.accept(new Finding(
                        FindingKind.POLL_SORTS,
                        sorted < MANY_SORTED ? Severity.NOTE : severity,
                        table.quoted(),
                        "sorts about " + Formatted.counted(sorted, "row"),
                        advice(table),
                        replacement(table))));
    }

    private static String advice(MessageTable table) {
        return "Create a partial index in the order of the poll."
                + (table.isPartitioned()
                        ? " On a large partitioned table create it concurrently on each partition first, then on the table."
                        : "");
    }

    /** Whether it scans an index that contains all rows, without a condition on the index. */
    private static boolean scansWholeIndex(Node node, List<Index> indexes) {
        return !node.isCondition()
                && indexes.stream().anyMatch(index -> index.name().equals(node.index()) && index.predicate() == null);
    }

    /** Whether the predicate of a partial index contains the column that shows what is pending. */
    static boolean hasPartialIndex(Target target) throws SQLException {
        return hasPartial(target.table(), all(target));
    }

    private static boolean hasPartial(MessageTable table, List<Index> indexes) {
        return table.columns()
                .published()
                .filter(column -> indexes.stream()
                        .anyMatch(index -> index.predicate() != null
                                && index.valid()
                                && index.predicate().contains(column.name())))
                .isPresent();
    }
}
