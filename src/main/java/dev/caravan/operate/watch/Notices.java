package dev.caravan.operate.watch;

import dev.caravan.base.clock.Clock;
import dev.caravan.database.AwaitedLock;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.explain.Problem;
import dev.caravan.operate.explain.Problem.Severity;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Writes notices into the outbox. One transaction writes a notice and records it, and one relay at a time compares the problems that it
 * finds with the stored ones. So no notice is lost or written twice, even if a relay crashes. Notices are delivered like other
 * messages.
 */
public final class Notices {
    /** The types of notices. */
    public static final List<String> TYPES =
            Stream.of(Severity.values()).map(Notice::type).toList();

    private final DataSource database;
    private final Duration repeat;
    private final AwaitedLock turn = new AwaitedLock("caravan notices", "No notices are written", Clock.SYSTEM);

    /** @param repeat the time between two notices about a problem that lasts */
    public Notices(DataSource database, Duration repeat) {
        this.database = database;
        this.repeat = repeat;
    }

    /**
     * Writes the notices that are due.
     *
     * @param problems all problems that this relay finds now
     * @return the number of notices written; 0 if another relay writes notices at the same time
     */
    public int write(List<Problem> problems) throws SQLException {
        return Transaction.run(database, connection -> {
            Optional<Instant> now = turn(connection);
            return now.isPresent() ? write(connection, problems, now.get()) : 0;
        });
    }

    /** The time of the database; empty if another relay is writing notices. */
    private Optional<Instant> turn(Connection connection) throws SQLException {
        Optional<Instant> now = Sql.file("operate/take_turn")
                .first(
                        connection,
                        row -> row.getBoolean("taken")
                                ? Optional.of(Sql.instant(row, "now"))
                                : Optional.<Instant>empty())
                .orElseThrow();
        turn.attempted(connection, now.isPresent());
        return now;
    }

    private int write(Connection connection, List<Problem> problems, Instant now) throws SQLException {
        Map<List<String>, Problem> found = new LinkedHashMap<>();
        problems.forEach(problem -> found.putIfAbsent(
                List.of(problem.name().toString(), problem.subscription().orElse("")), problem));
        int written = 0;
        for (KnownProblem known : Sql.file("operate/known_problems").query(connection, KnownProblem.class)) {
            Problem again = found.remove(List.of(known.problem(), known.subscription()));
            written += again == null ? ended(connection, known, now) : lasting(connection, known, again, now);
        }
        for (Problem first : found.values()) {
            save(connection, KnownProblem.first(first, now));
        }
        return written;
    }

    private int lasting(Connection connection, KnownProblem known, Problem found, Instant now) throws SQLException {
        KnownProblem seen = known.seen(found, now);
        if (!seen.noticeIsDue(repeat, now)) {
            return saveIfChanged(connection, known, seen);
        }
        append(connection, Notice.open(seen, found, now));
        save(connection, seen.afterNotice(now));
        return 1;
    }

    private int ended(Connection connection, KnownProblem known, Instant now) throws SQLException {
        KnownProblem unseen = known.unseen(now);
        if (unseen.canBeDeleted(repeat, now) && (known.isOver() || !known.hasNotice())) {
            Sql.file("operate/delete_problem")
                    .with("problem", known.problem())
                    .with("subscription", known.subscription())
                    .update(connection);
            return 0;
        }
        boolean recovers = unseen.isOver() && !known.isOver() && known.hasNotice();
        if (recovers) {
            append(connection, Notice.recovered(unseen, now));
        }
        saveIfChanged(connection, known, unseen);
        return recovers ? 1 : 0;
    }

    private static int saveIfChanged(Connection connection, KnownProblem before, KnownProblem after)
            throws SQLException {
        if (!after.equals(before)) {
            save(connection, after);
        }
        return 0;
    }

    private static void save(Connection connection, KnownProblem known) throws SQLException {
        Sql.file("operate/save_problem")
                .with("problem", known.problem())
                .with("subscription", known.subscription())
                .with("severity", known.severity().toString())
                .with("openedAt", known.openedAt())
                .with("seenAt", known.seenAt())
                .with(
                        "noticeAt",
                        known.lastNotice().map(KnownProblem.LastNotice::at).orElse(null))
                .with(
                        "noticeSeverity",
                        known.lastNotice()
                                .map(last -> last.severity().toString())
                                .orElse(null))
                .with("isOver", known.isOver())
                .update(connection);
    }

    private static void append(Connection connection, Notice notice) throws SQLException {
        Sql.file("engine/append")
                .with("message_id", UUID.randomUUID())
                .with("aggregate_type", Notice.AGGREGATE_TYPE)
                .with("aggregate_id", notice.aggregateId())
                .with("type", notice.type())
                .with("headers", null)
                .with("payload", notice.payload())
                .with("payload_bytes", null)
                .update(connection);
    }
}
