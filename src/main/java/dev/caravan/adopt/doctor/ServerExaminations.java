package dev.caravan.adopt.doctor;

import dev.caravan.adopt.doctor.Examination.Needs;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.Span;
import dev.caravan.base.text.SqlText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Sessions with locks, replication slots, and settings of the server. */
final class ServerExaminations {
    private ServerExaminations() {}

    static List<Examination> all() {
        return List.of(
                new Examination(
                        "sessions that are idle in a transaction", Needs.TABLE, ServerExaminations::idleInTransaction),
                new Examination("WAL of replication slots", Needs.DATABASE, ServerExaminations::slots),
                new Examination("settings of the server", Needs.DATABASE, ServerExaminations::settings));
    }

    private static void idleInTransaction(Target target, Consumer<Finding> found) throws SQLException {
        record Idle(int pid, String application, String role, Duration since, String modes) {}
        List<Idle> all = target.query(
                "adopt/idle_in_transaction",
                row -> new Idle(
                        row.getInt("pid"),
                        row.getString("application"),
                        row.getString("role"),
                        Duration.ofSeconds(row.getLong("seconds")),
                        row.getString("modes")),
                target.table().parts(),
                target.limits().idleInTransaction().toSeconds());
        for (Idle idle : all) {
            found.accept(new Finding(
                    FindingKind.IDLE_IN_TRANSACTION,
                    Severity.WARNING,
                    "session " + idle.pid() + " (application " + Formatted.line(idle.application(), 60) + ", user "
                            + idle.role() + ")",
                    "idle for " + Span.text(idle.since()) + " with " + idle.modes(),
                    "End it, and let the server end such sessions by itself.",
                    "select pg_terminate_backend(" + idle.pid()
                            + ");\nalter role " + SqlText.identifier(idle.role())
                            + " set idle_in_transaction_session_timeout = '1min';"));
        }
    }

    private record Slot(String name, String type, boolean active, String walStatus, long bytes) {
        static Slot read(ResultSet row) throws SQLException {
            return new Slot(
                    row.getString("name"),
                    row.getString("type"),
                    row.getBoolean("active"),
                    row.getString("wal_status"),
                    row.getLong("bytes"));
        }

        boolean isLost() {
            return walStatus.equals("lost") || walStatus.equals("unreserved");
        }
    }

    private static void slots(Target target, Consumer<Finding> found) throws SQLException {
        for (Slot slot : target.query("adopt/slots", Slot::read)) {
            if (slot.isLost() || slot.bytes() >= target.limits().walBytes()) {
                found.accept(new Finding(
                        FindingKind.SLOT_KEEPS_WAL,
                        slot.isLost() ? Severity.CRITICAL : Severity.WARNING,
                        "slot " + slot.name() + " (" + slot.type() + ", " + (slot.active() ? "active" : "inactive")
                                + ")",
                        slot.isLost()
                                ? "its WAL is " + slot.walStatus()
                                : "keeps " + Formatted.bytes(slot.bytes()) + " of WAL",
                        "Start its reader, or drop the slot if it is no longer needed. Limit the WAL that slots keep with"
                                + " max_slot_wal_keep_size.",
                        "select pg_drop_replication_slot('" + slot.name() + "');"));
            }
        }
    }

    private static void settings(Target target, Consumer<Finding> found) throws SQLException {
        record Settings(boolean fsync, boolean fullPageWrites, String synchronousCommit, List<String> offFor) {}
        Settings settings = target.query(
                        "adopt/settings",
                        row -> new Settings(
                                row.getBoolean("fsync"),
                                row.getBoolean("full_page_writes"),
                                row.getString("synchronous_commit"),
                                VacuumExaminations.texts(row, "off_for")))
                .get(0);
        if (!settings.fsync()) {
            found.accept(off(FindingKind.FSYNC_OFF, "fsync"));
        }
        if (!settings.fullPageWrites()) {
            found.accept(off(FindingKind.FULL_PAGE_WRITES_OFF, "full_page_writes"));
        }
        asynchronous(settings.synchronousCommit(), settings.offFor()).ifPresent(found);
    }

    private static Finding off(FindingKind kind, String setting) {
        return new Finding(
                kind,
                kind.severity(),
                "setting " + setting,
                "off",
                "Switch it on.",
                "alter system set " + setting + " = on;\nselect pg_reload_conf();");
    }

    private static Optional<Finding> asynchronous(String value, List<String> offFor) {
        if (!offFor.isEmpty()) {
            return Optional.of(new Finding(
                    FindingKind.SYNCHRONOUS_COMMIT_OFF,
                    Severity.WARNING,
                    "setting synchronous_commit of " + String.join(", ", offFor),
                    "off",
                    "Switch it on for those who write messages.",
                    "alter " + offFor.get(0) + " reset synchronous_commit;"));
        }
        return value.equals("off")
                ? Optional.of(off(FindingKind.SYNCHRONOUS_COMMIT_OFF, "synchronous_commit"))
                : Optional.empty();
    }
}
