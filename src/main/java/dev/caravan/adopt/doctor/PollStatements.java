package dev.caravan.adopt.doctor;

import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The statements that read messages, from {@code pg_stat_statements}. Relays of Caravan are not examined: they track missing ids. */
final class PollStatements implements Examination.Look {
    private static final double FEW_ROWS = 1;
    private static final double MANY_ROWS = 10_000;

    @Override
    public void at(Target target, Consumer<Finding> found) throws SQLException {
        List<PollStatement> polls = statements(target);
        MessageColumns columns = target.table().columns();
        List<String> keys = Stream.of(columns.id(), columns.order(), columns.createdAt())
                .flatMap(Optional::stream)
                .map(Column::name)
                .distinct()
                .toList();
        for (PollStatement poll : polls) {
            if (poll.isCursor(keys, columns.published().map(Column::name))) {
                found.accept(finding(
                        FindingKind.CURSOR_POLLER,
                        poll,
                        "a cursor",
                        "Read what is pending instead of what is after a position, or use a relay that tracks missing ids"
                                + " (Caravan)."));
            }
            if (poll.hasOffset()) {
                found.accept(finding(
                        FindingKind.OFFSET_POLLER,
                        poll,
                        "OFFSET",
                        "Read the first pending messages each time, without OFFSET: order by "
                                + columns.order().map(Column::name).orElse("id") + " limit 100."));
            }
            cost(target, poll, found);
        }
        timeOrder(target, polls, found);
    }

    private static List<PollStatement> statements(Target target) throws SQLException {
        String schema = target.query("adopt/statements_schema", row -> row.getString("schema")).stream()
                .findFirst()
                .orElseThrow(
                        () -> new Examination.NotPossible(
                                "the extension pg_stat_statements is not installed in this database",
                                "add it to shared_preload_libraries, restart the server, and run: create extension pg_stat_statements"));
        String name = target.table().name();
        return target
                .view(
                        "adopt/statements",
                        Map.of("schema", schema, "pattern", "%" + name.replaceAll("([\\\\%_])", "\\\\$1") + "%"),
                        row -> PollStatement.of(
                                row.getString("query"),
                                row.getLong("calls"),
                                row.getLong("rows"),
                                row.getDouble("mean_millis")))
                .stream()
                .filter(statement -> statement.polls(name))
                .toList();
    }

    private static Finding finding(FindingKind kind, PollStatement poll, String means, String fix) {
        return new Finding(
                kind,
                kind.severity(),
                poll.shown(),
                String.format(Locale.ROOT, "%,d calls with %s", poll.calls(), means),
                fix,
                "");
    }

    private static void cost(Target target, PollStatement poll, Consumer<Finding> found) {
        if (poll.rowsPerCall() < FEW_ROWS) {
            found.accept(rows(
                    poll, "Poll less often while there is nothing to do, and wake the poller with LISTEN/NOTIFY."));
        } else if (poll.rowsPerCall() > MANY_ROWS) {
            found.accept(rows(
                    poll, "Limit the number of messages for each poll, so that memory and transactions stay small."));
        }
        if (poll.meanMillis() >= target.limits().pollMillis()) {
            found.accept(new Finding(
                    FindingKind.SLOW_POLL,
                    Severity.WARNING,
                    poll.shown(),
                    String.format(Locale.ROOT, "%,.0f ms on average, %,d calls", poll.meanMillis(), poll.calls()),
                    "See the findings about indexes and dead rows; explain the statement.",
                    ""));
        }
    }

    private static Finding rows(PollStatement poll, String fix) {
        return new Finding(
                FindingKind.ROWS_PER_POLL,
                Severity.NOTE,
                poll.shown(),
                String.format(Locale.ROOT, "%,.2f rows a poll, %,d polls", poll.rowsPerCall(), poll.calls()),
                fix,
                "");
    }

    /** Pollers that order by a time, although the table has a better order. */
    private static void timeOrder(Target target, List<PollStatement> polls, Consumer<Finding> found)
            throws SQLException {
        MessageColumns columns = target.table().columns();
        List<Column> times = polls.stream()
                .flatMap(poll -> poll.orderedBy().stream())
                .flatMap(name -> columns.all().stream()
                        .filter(column -> column.isTime() && column.name().equalsIgnoreCase(name)))
                .distinct()
                .toList();
        for (Column time : times) {
            if (!columns.order().equals(Optional.of(time)) && target.table().readable()) {
                target.findTimeOrder(time, "order of a poller", found);
            }
        }
    }
}
