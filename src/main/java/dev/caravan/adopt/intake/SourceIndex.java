package dev.caravan.adopt.intake;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Finds out whether an index serves the read of pending rows in their order. */
final class SourceIndex {
    /** {@code = 0}, {@code is null} or {@code not sent}: one value, so that rows with it are in the order of the next column of an index. */
    private static final String ONE_VALUE = "(=|is\\b|in\\b).*";

    private final Selection selection;
    private final Intake intake;
    private final SourceTable table;

    SourceIndex(Selection selection) {
        this.selection = selection;
        intake = selection.intake();
        table = selection.table();
    }

    static String name(String table, String ending) {
        return table.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_]", "_") + "_" + ending;
    }

    /** Whether one of the indexes serves the read, or may serve it. */
    boolean isServed(List<SourceTable.Index> indexes) {
        return indexes.stream().anyMatch(this::serves);
    }

    private boolean serves(SourceTable.Index index) {
        if (index.isUnclear()) {
            return true;
        }
        Set<String> pending = pending();
        List<String> columns = index.columns().stream()
                .map(column -> column.toLowerCase(Locale.ROOT))
                .toList();
        int first = 0;
        while (first < columns.size() && pending.contains(columns.get(first))) {
            first++;
        }
        boolean isSelective = first > 0 || index.partial() || pending.isEmpty();
        return isSelective && (order().isEmpty() || beginsWith(columns.subList(first, columns.size()), order().get()));
    }

    /** InnoDB appends the primary key to each index. */
    private boolean beginsWith(List<String> columns, List<String> order) {
        List<String> sorted = new ArrayList<>(columns);
        if (table.dialect() == Dialect.MARIADB) {
            selection.key().stream()
                    .map(key -> key.label().toLowerCase(Locale.ROOT))
                    .forEach(sorted::add);
        }
        // the first column decides: the others order the few rows with the same value
        return !sorted.isEmpty() && sorted.get(0).equals(order.get(0));
    }

    /** The columns that the condition names, in lower case. */
    private Set<String> pending() {
        Set<String> named = new LinkedHashSet<>(pendingWithOneValue());
        for (String name : SqlFragment.of(intake.pending()).names()) {
            column(name).ifPresent(named::add);
        }
        return named;
    }

    private Optional<String> column(String name) {
        return table.columns().stream()
                .filter(name::equalsIgnoreCase)
                .map(column -> column.toLowerCase(Locale.ROOT))
                .findFirst();
    }

    /** Those of them that have one value in all pending rows. */
    private Set<String> pendingWithOneValue() {
        Set<String> named = new LinkedHashSet<>();
        SqlFragment condition = SqlFragment.of(intake.pending());
        String text = String.join("", condition.tokens());
        for (String name : condition.names()) {
            String quoted = Pattern.quote(name);
            boolean one = Pattern.compile("(?is).*(\\bnot\\s+" + quoted + "\\b|\\b" + quoted + "[\"`\\]]?\\s*"
                            + ONE_VALUE + "|^" + quoted + "$)")
                    .matcher(text)
                    .matches();
            if (one) {
                column(name).ifPresent(named::add);
            }
        }
        return named;
    }

    /** The columns of the order, in lower case; empty if it has expressions. */
    private Optional<List<String>> order() {
        List<String> columns = new ArrayList<>();
        for (String each : selection.order()) {
            for (SqlFragment part : SqlFragment.of(each).parts()) {
                Optional<String> column = SqlFragment.of(part.sql().strip().replaceFirst("(?i)\\s+asc$", ""))
                        .column();
                if (column.isEmpty()) {
                    return Optional.empty();
                }
                columns.add(column.get().toLowerCase(Locale.ROOT));
            }
        }
        return Optional.of(columns);
    }

    /** The statement that creates the index. */
    String statement() {
        boolean partial = table.dialect() == Dialect.POSTGRES || table.dialect() == Dialect.SQL_SERVER;
        Set<String> columns = new LinkedHashSet<>();
        if (!partial) {
            Set<String> one = pendingWithOneValue();
            (one.isEmpty() ? pending() : one).forEach(column -> columns.add(sql(column)));
        }
        order().ifPresent(order -> order.forEach(column -> columns.add(sql(column))));
        return "create index " + name(table.name(), "pending") + " on " + intake.table() + " ("
                + columns.stream().collect(Collectors.joining(", ")) + ")"
                + (partial && !pending().isEmpty() ? " where " + intake.pending() : "");
    }

    /** A column as the file writes it, or else in quotes. */
    private String sql(String column) {
        List<String> written = new ArrayList<>(intake.order());
        written.addAll(intake.key());
        return written.stream()
                .filter(sql -> SourceTable.isNamed(sql, column))
                .findFirst()
                .orElseGet(() -> table.columns().stream()
                        .filter(column::equalsIgnoreCase)
                        .findFirst()
                        .map(this::plain)
                        .orElse(column));
    }

    private String plain(String column) {
        boolean written = SqlFragment.of(intake.pending()).tokens().stream().anyMatch(column::equalsIgnoreCase);
        return written ? column.toLowerCase(Locale.ROOT) : table.quoted(column);
    }
}
