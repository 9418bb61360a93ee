package dev.caravan.adopt.doctor;

import dev.caravan.adopt.doctor.Examination.Needs;
import dev.caravan.base.text.Span;
import dev.caravan.base.text.SqlText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Dead row versions, vacuum, and what holds it back. */
final class VacuumExaminations {
    private static final long MANY_DEAD = 10_000;
    private static final double DEAD_SHARE = 0.2;
    private static final long MANY_UPDATES = 10_000;
    private static final double HOT_SHARE = 0.5;

    private VacuumExaminations() {}

    static List<Examination> all() {
        return List.of(
                new Examination("dead rows and updates", Needs.TABLE, VacuumExaminations::rowVersions),
                new Examination("autovacuum", Needs.DATABASE, VacuumExaminations::autovacuum),
                new Examination("wraparound", Needs.DATABASE, VacuumExaminations::wraparound),
                new Examination("what holds vacuum back", Needs.DATABASE, VacuumExaminations::holders));
    }

    private static void rowVersions(Target target, Consumer<Finding> found) throws SQLException {
        record Versions(long live, long dead, long updates, long hot, long vacuumed, boolean never) {}
        MessageTable table = target.table();
        Versions versions = target.query(
                        "adopt/row_versions",
                        row -> new Versions(
                                row.getLong("live"),
                                row.getLong("dead"),
                                row.getLong("updates"),
                                row.getLong("hot_updates"),
                                row.getLong("vacuumed_seconds"),
                                row.wasNull()),
                        table.parts())
                .get(0);
        if (versions.dead() >= MANY_DEAD && versions.dead() >= DEAD_SHARE * (versions.live() + versions.dead())) {
            found.accept(new Finding(
                    FindingKind.DEAD_ROWS,
                    Severity.WARNING,
                    table.quoted(),
                    String.format(
                            Locale.ROOT,
                            "%,d dead and %,d live rows, last vacuum %s",
                            versions.dead(),
                            versions.live(),
                            versions.never() ? "unknown" : Span.text(Duration.ofSeconds(versions.vacuumed())) + " ago"),
                    "Let autovacuum run more often for this table; look for what holds vacuum back.",
                    "alter table " + table.quoted() + " set (autovacuum_vacuum_scale_factor = 0.01,"
                            + " autovacuum_vacuum_cost_delay = 0);\nvacuum (analyze) " + table.quoted() + ";"));
        }
        // With a partial index on pending rows no update can be HOT. The index is worth more than HOT updates.
        if (versions.updates() >= MANY_UPDATES
                && versions.hot() < HOT_SHARE * versions.updates()
                && !IndexExaminations.hasPartialIndex(target)) {
            found.accept(new Finding(
                    FindingKind.LOW_HOT_SHARE,
                    Severity.NOTE,
                    table.quoted(),
                    String.format(
                            Locale.ROOT,
                            "%.0f %% of %,d updates are HOT",
                            100.0 * versions.hot() / versions.updates(),
                            versions.updates()),
                    "Index no column that an update changes, and leave free space in each page. Best: do not update messages.",
                    table.isPartitioned() ? "" : "alter table " + table.quoted() + " set (fillfactor = 80);"));
        }
    }

    private static void autovacuum(Target target, Consumer<Finding> found) throws SQLException {
        record Autovacuum(boolean onServer, List<String> offFor) {}
        Autovacuum autovacuum = target.query(
                        "adopt/autovacuum",
                        row -> new Autovacuum(row.getBoolean("on_server"), texts(row, "off_for")),
                        parts(target))
                .get(0);
        if (!autovacuum.onServer()) {
            found.accept(
                    new Finding(
                            FindingKind.AUTOVACUUM_OFF,
                            Severity.WARNING,
                            "settings autovacuum and track_counts",
                            "off for the server",
                            "Switch both on.",
                            "alter system set autovacuum = on;\nalter system set track_counts = on;\nselect pg_reload_conf();"));
        }
        if (!autovacuum.offFor().isEmpty()) {
            String first = autovacuum.offFor().get(0);
            found.accept(new Finding(
                    FindingKind.AUTOVACUUM_OFF,
                    Severity.WARNING,
                    first,
                    autovacuum.offFor().size() == 1
                            ? "off for the table"
                            : "off for " + autovacuum.offFor().size() + " tables",
                    "Switch it on.",
                    "alter table " + first + " reset (autovacuum_enabled);"));
        }
    }

    static List<String> texts(ResultSet row, String column) throws SQLException {
        var array = row.getArray(column);
        return array == null ? List.of() : List.of((String[]) array.getArray());
    }

    private static long[] parts(Target target) {
        return target.table() == null ? new long[0] : target.table().parts();
    }

    private static void wraparound(Target target, Consumer<Finding> found) throws SQLException {
        record Age(String name, long transactions, long multixacts) {}
        List<Age> ages = target.query(
                "adopt/frozen",
                row -> new Age(row.getString("name"), row.getLong("transactions"), row.getLong("multixacts")),
                parts(target));
        for (Age age : ages) {
            long oldest = Math.max(age.transactions(), age.multixacts());
            if (oldest >= target.limits().unfrozen()) {
                found.accept(new Finding(
                        FindingKind.WRAPAROUND,
                        oldest < target.limits().unfrozenCritical() ? Severity.WARNING : Severity.CRITICAL,
                        age.name(),
                        String.format(
                                Locale.ROOT,
                                "%,d of 2,147,483,647 %s",
                                oldest,
                                age.transactions() == oldest ? "transactions" : "multixacts"),
                        "Remove what holds vacuum back, then freeze.",
                        age.name().startsWith("table ")
                                ? "vacuum (freeze, verbose) " + age.name().substring("table ".length()) + ";"
                                : "vacuum (freeze, verbose);"));
            }
        }
    }

    /**
     * An object that keeps old row versions from being removed.
     *
     * @param kind session, prepared, slot or standby
     * @param seconds age of its transaction; 0 if unknown
     * @param transactions age of the oldest row version that it keeps, in transactions
     */
    private record Holder(String kind, String name, String detail, long seconds, long transactions) {
        static Holder read(ResultSet row) throws SQLException {
            return new Holder(
                    row.getString("kind"),
                    row.getString("name"),
                    row.getString("detail"),
                    row.getLong("seconds"),
                    row.getLong("transactions"));
        }

        boolean isLongerThan(Limits limits) {
            return kind.equals("session") || kind.equals("prepared")
                    ? seconds >= limits.openTransaction().toSeconds()
                    : transactions >= limits.heldTransactions();
        }

        Finding finding() {
            return switch (kind) {
                case "session" ->
                    finding(
                            FindingKind.LONG_TRANSACTION,
                            "session " + name,
                            "End it if it is no longer needed, and limit such transactions: transaction_timeout,"
                                    + " idle_in_transaction_session_timeout.",
                            "select pg_terminate_backend(" + name + ");");
                case "prepared" ->
                    finding(
                            FindingKind.PREPARED_TRANSACTION,
                            "prepared transaction " + name,
                            "Ask its transaction manager how it ended, and do the same here: commit or roll back.",
                            "rollback prepared " + SqlText.literal(name) + ";");
                case "slot" ->
                    finding(
                            FindingKind.SLOT_HOLDS_VACUUM,
                            "slot " + name,
                            "Start its reader, or drop the slot if it is no longer needed.",
                            "select pg_drop_replication_slot('" + name + "');");
                default ->
                    finding(
                            FindingKind.STANDBY_HOLDS_VACUUM,
                            "standby " + name,
                            "End the long query on the standby, or limit such queries there.",
                            "alter system set hot_standby_feedback = off; -- on the standby");
            };
        }

        private Finding finding(FindingKind holding, String about, String fix, String sql) {
            String age = seconds > 0
                    ? "open for " + Span.text(Duration.ofSeconds(seconds))
                    : String.format(Locale.ROOT, "keeps row versions of %,d transactions", transactions);
            return new Finding(holding, Severity.WARNING, about + " (" + detail + ")", age, fix, sql);
        }
    }

    private static void holders(Target target, Consumer<Finding> found) throws SQLException {
        target.query("adopt/vacuum_holders", Holder::read).stream()
                .filter(holder -> holder.isLongerThan(target.limits()))
                .map(Holder::finding)
                .forEach(found);
    }
}
