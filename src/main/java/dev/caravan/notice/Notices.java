package dev.caravan.notice;

import dev.caravan.database.Statement;
import dev.caravan.database.Transaction;
import dev.caravan.diagnosis.Problem;
import dev.caravan.diagnosis.Problem.Severity;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Writes notices into the outbox. A notice and the record that it was written are one transaction, and one relay at a time compares
 * what it found with what is known. So a notice is neither lost nor written twice, whichever relay ends in between, and it is delivered
 * like every other message.
 */
public final class Notices {
    private final DataSource database;
    private final Duration repeat;

    /** @param repeat the shortest time between two notices of one problem */
    public Notices(DataSource database, Duration repeat) {
        this.database = database;
        this.repeat = repeat;
    }

    /**
     * Tells about what this relay has found.
     *
     * @param problems all problems that the relay finds now
     * @return the number of notices written; 0 if another relay does this at the same time
     */
    public int tell(List<Problem> problems) throws SQLException {
        return Transaction.run(database, connection -> {
            Optional<Instant> now = turn(connection);
            return now.isPresent() ? tell(connection, problems, now.get()) : 0;
        });
    }

    /** The time of the database; empty if another relay has its turn. */
    private static Optional<Instant> turn(Connection connection) throws SQLException {
        return Statement.query(
                        connection,
                        "notice/take_turn",
                        row -> row.getBoolean("taken") ? Optional.of(instant(row, "now")) : Optional.<Instant>empty())
                .get(0);
    }

    private int tell(Connection connection, List<Problem> problems, Instant now) throws SQLException {
        Map<List<String>, Problem> found = new LinkedHashMap<>();
        problems.forEach(problem -> found.putIfAbsent(
                List.of(problem.name().toString(), problem.subscription().orElse("")), problem));
        int written = 0;
        for (KnownProblem known : Statement.query(connection, "notice/known_problems", Notices::known)) {
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
        if (!seen.isToBeTold(repeat, now)) {
            return saveIfChanged(connection, known, seen);
        }
        write(connection, Notice.open(seen, found, now));
        save(connection, seen.told(now));
        return 1;
    }

    private int ended(Connection connection, KnownProblem known, Instant now) throws SQLException {
        KnownProblem unseen = known.unseen(now);
        if (unseen.isForgotten(repeat, now) && (known.isOver() || !known.isTold())) {
            Statement.update(connection, "notice/forget_problem", known.problem(), known.subscription());
            return 0;
        }
        boolean recovers = unseen.isOver() && !known.isOver() && known.isTold();
        if (recovers) {
            write(connection, Notice.recovered(unseen, now));
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
        Statement.update(
                connection,
                "notice/save_problem",
                known.problem(),
                known.subscription(),
                known.severity().toString(),
                known.openedAt(),
                known.seenAt(),
                known.told().map(KnownProblem.Told::at).orElse(null),
                known.told().map(told -> told.severity().toString()).orElse(null),
                known.isOver());
    }

    private static void write(Connection connection, Notice notice) throws SQLException {
        Statement.update(
                connection,
                "store/append",
                UUID.randomUUID(),
                Notice.AGGREGATE_TYPE,
                notice.aggregateId(),
                notice.type(),
                null,
                notice.payload(),
                null);
    }

    private static KnownProblem known(ResultSet row) throws SQLException {
        Optional<Instant> toldAt = Optional.ofNullable(row.getObject("told_at", OffsetDateTime.class))
                .map(OffsetDateTime::toInstant);
        String toldSeverity = row.getString("told_severity");
        return new KnownProblem(
                row.getString("problem"),
                row.getString("subscription"),
                severity(row.getString("severity")),
                instant(row, "opened_at"),
                instant(row, "seen_at"),
                toldAt.map(at -> new KnownProblem.Told(at, severity(toldSeverity))),
                row.getBoolean("is_over"));
    }

    private static Severity severity(String text) {
        return Severity.valueOf(text.toUpperCase(Locale.ROOT));
    }

    private static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }
}
