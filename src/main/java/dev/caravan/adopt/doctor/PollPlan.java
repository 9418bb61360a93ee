package dev.caravan.adopt.doctor;

import dev.caravan.adopt.doctor.Plan.Node;
import dev.caravan.base.text.Formatted;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** How the indexes of the table serve a poll, as the planner sees it. */
final class PollPlan implements Examination.Look {
    private static final long MANY_SORTED = 1_000;

    /** @param predicate null if it contains all rows */
    private record Index(String quoted, String name, boolean valid, String predicate, long bytes) {}

    @Override
    public void at(Target target, Consumer<Finding> found) throws SQLException {
        MessageTable table = target.table();
        List<Index> indexes = target.query("adopt/table_indexes", Index.class);
        if (!table.isLarge()) {
            // Plans the poll as for a large table: a small table is always read as a whole.
            target.set("enable_seqscan = off");
            target.set("enable_bitmapscan = off");
        }
        Plan plan = target.planOf("adopt/poll");
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
            String figure = scan.get().isFullScan()
                    ? "full scan"
                    : "full scan of index " + scan.get().index();
            found.accept(finding(
                    FindingKind.POLL_WITHOUT_INDEX,
                    severity,
                    table,
                    table.quoted(),
                    figure + ", about " + Formatted.counted(table.rows(), "row")));
        } else if (whole.isPresent()) {
            found.accept(finding(
                    FindingKind.POLL_INDEX_NOT_PARTIAL,
                    Severity.NOTE,
                    table,
                    whole.get().quoted(),
                    "not partial, " + Formatted.bytes(whole.get().bytes())));
        }
        plan.nodes().stream()
                .filter(Node::isSort)
                .mapToLong(Node::rows)
                .max()
                .ifPresent(sorted -> found.accept(finding(
                        FindingKind.POLL_SORTS,
                        sorted < MANY_SORTED ? Severity.NOTE : severity,
                        table,
                        table.quoted(),
                        "sorts about " + Formatted.counted(sorted, "row"))));
    }

    private static Finding finding(
            FindingKind kind, Severity severity, MessageTable table, String about, String figure) {
        return new Finding(
                kind,
                severity,
                about,
                figure,
                "Create a partial index in the order of the poll."
                        + (table.isPartitioned()
                                ? " On a large partitioned table create it concurrently on each partition first, then on the table."
                                : ""),
                table.pollIndex());
    }

    /** Whether it scans an index that contains all rows, without a condition on the index. */
    private static boolean scansWholeIndex(Node node, List<Index> indexes) {
        return !node.isCondition()
                && indexes.stream().anyMatch(index -> index.name().equals(node.index()) && index.predicate() == null);
    }

    /** Whether the predicate of a partial index contains the column that shows what is pending. */
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
