package dev.caravan.adopt.capture;

import dev.caravan.adopt.capture.BackfillSql.State;
import dev.caravan.adopt.capture.Captures.Wanted;
import dev.caravan.adopt.file.FileProblem;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Writes the existing rows of a captured table into the outbox, chunk by chunk. The progress is saved with the messages of each chunk, so a
 * backfill can be stopped at any time and continued by another process.
 */
public final class Backfill implements AutoCloseable {
    /** How a backfill begins. */
    public enum Start {
        NEW,
        CONTINUED,
        /** It was complete before, and nothing was done. */
        COMPLETE
    }

    /**
     * @param rows rows of the first pass that were read; 0 for its last chunk, where they are not counted
     * @param messages messages that were written
     * @param waited whether another transaction held a lock on a row, and nothing was done
     */
    public record Chunk(long rows, long messages, boolean waited, boolean finished) {}

    /** @param end the key of the last row; empty after the last row of the table */
    private record Written(List<String> end, long messages) {}

    /** @param messages number of messages that it has written */
    public record Last(String capture, long messages, boolean finished) {}

    /**
     * A writer that waits for a row of the chunk checks for a deadlock after 1 s (deadlock_timeout), and may fail. The backfill stops
     * waiting earlier.
     */
    private static final String SHORT_WAIT = "set local lock_timeout = '200ms'; set local enable_nestloop = off";
    /** The SQLSTATEs after which a chunk is retried: a lock timeout, a deadlock, and a row that was moved to another partition. */
    private static final Set<String> TRY_AGAIN = Set.of("55P03", "40P01", "40001");

    private final DataSource dataSource;
    private final Captures captures;
    private final Wanted wanted;
    private final BackfillSql sql;
    private Connection session;
    private int size = Integer.MAX_VALUE;

    private Backfill(DataSource dataSource, Captures captures, Wanted wanted) {
        this.dataSource = dataSource;
        this.captures = captures;
        this.wanted = wanted;
        this.sql = new BackfillSql(wanted.capture(), wanted.table());
    }

    /**
     * Returns the backfill of the capture in each file. Starts none.
     *
     * @param dataSource without a statement timeout
     * @throws CaptureRefusal with all problems of all files
     */
    public static List<Backfill> of(DataSource dataSource, List<Path> files) throws SQLException {
        Captures captures = new Captures(dataSource);
        List<Wanted> wanted = captures.inDatabase(connection -> Captures.wanted(connection, files, true));
        List<FileProblem> problems = new ArrayList<>();
        for (Wanted each : wanted) {
            CapturedTable table = each.table();
            Trust trust = captures.inDatabase(connection -> Trust.of(connection, table.oid(), table.role(), null));
            problems.addAll(CaptureCheck.problemsOfBackfill(each.capture(), table, trust));
        }
        CaptureRefusal.throwIfAny(problems);
        return wanted.stream()
                .map(each -> new Backfill(dataSource, captures, each))
                .toList();
    }

    /** The last backfill of each capture, by name of the capture. */
    public static Map<String, Last> last(DataSource dataSource) throws SQLException {
        return new Captures(dataSource)
                .inDatabase(connection -> Sql.file("adopt/backfill_list").query(connection, Last.class).stream()
                        .collect(Collectors.toMap(Last::capture, Function.identity())));
    }

    public String name() {
        return wanted.capture().name();
    }

    public String table() {
        return wanted.table().name();
    }

    /** The statement that writes the messages, without the limits of a chunk. */
    public String statement() {
        return sql.definition();
    }

    /** Number of rows that the first pass has not read. Takes as long as counting the table. */
    public long rows() throws SQLException {
        return captures.inDatabase(connection -> {
            State state = State.find(connection, name())
                    .filter(found -> !found.finished())
                    .orElse(new State("", "0:0:", 0, 1, List.of(), 0, false, true));
            return state.pass() == 2 ? 0L : count(connection, sql.count(state));
        });
    }

    /** Number of rows that a new backfill would send. Takes as long as counting the table. */
    public long expected() throws SQLException {
        return captures.inDatabase(connection -> count(connection, sql.countMessages()));
    }

    private long count(Connection connection, String statement) throws SQLException {
        return Captures.onRows(connection, wanted, rows -> Sql.number(rows, statement));
    }

    /** Number of messages that the last backfill has written. */
    public long messages() throws SQLException {
        return captures.inDatabase(
                connection -> State.find(connection, name()).orElseThrow().messages());
    }

    /**
     * Begins or continues the backfill. Installs the capture if needed, in the transaction that records the boundary.
     *
     * @param again whether to begin again from the first row, even if it is complete
     * @throws CaptureRefusal if another process runs it, the file or the triggers were changed since it began, or the table was not
     *     locked in time; nothing is changed
     */
    public Start begin(boolean again) throws SQLException {
        requireOnlyOne();
        Optional<State> last = captures.inDatabase(connection -> {
            Optional<State> found = again ? Optional.empty() : State.find(connection, name());
            if (found.isPresent()) {
                requireUnchanged(found.get(), Captures.differences(connection, wanted));
            }
            return found;
        });
        if (last.isPresent()) {
            return last.get().finished() ? Start.COMPLETE : Start.CONTINUED;
        }
        captures.locking(name(), table(), connection -> {
            Sql.execute(connection, "lock table " + table() + " in share row exclusive mode");
            if (!Captures.differences(connection, wanted).isEmpty()) {
                Captures.install(connection, wanted);
            }
            return Sql.file("adopt/backfill_begin")
                    .with("capture", name())
                    .with("definition", sql.definition())
                    .update(connection);
        });
        return Start.NEW;
    }

    private void requireOnlyOne() throws SQLException {
        session = dataSource.getConnection();
        String lock = "caravan backfill " + name();
        boolean isOnlyOne = Sql.file("adopt/backfill_only_one")
                .with("lock", lock)
                .query(session, row -> row.getBoolean("locked"))
                .get(0);
        if (!isOnlyOne) {
            throw captures.isLocked("the backfill of " + name(), lock);
        }
    }

    private void requireUnchanged(State state, List<String> differences) {
        if (state.finished()) {
            return;
        }
        String changed = !differences.isEmpty()
                ? "the capture was changed: " + differences.get(0)
                : !state.definition().equals(sql.definition())
                        ? "the file or the key of the table was changed"
                        : !state.sameTriggers()
                                ? "the triggers were changed, and changes of rows may not have been captured"
                                : "";
        if (!changed.isEmpty()) {
            throw new CaptureRefusal(
                    "Could not continue the backfill of " + name() + ": since it began, " + changed
                            + ". Nothing was changed. Undo the change of the file, or begin again from the first row: add --again");
        }
    }

    /**
     * Writes the messages of the next rows in one transaction. Call after {@link #begin}.
     *
     * @param most maximum number of rows; fewer are read where other transactions hold locks
     */
    public Chunk next(int most) throws SQLException {
        int rows = Math.min(size, most);
        try {
            Chunk chunk = Transaction.run(dataSource, connection -> next(connection, rows));
            size = rows > most / 2 ? most : rows * 2;
            return chunk;
        } catch (SQLException e) {
            if (!TRY_AGAIN.contains(String.valueOf(e.getSQLState()))) {
                throw e;
            }
            size = Math.max(1, rows / 2);
            return new Chunk(0, 0, true, false);
        }
    }

    private Chunk next(Connection connection, int rows) throws SQLException {
        Sql.execute(connection, SHORT_WAIT);
        sql.set(connection);
        State state = State.find(connection, name())
                .orElseThrow(
                        () -> new CaptureRefusal("The capture " + name() + " was removed. Its backfill has ended."));
        if (state.finished()) {
            return new Chunk(0, 0, false, true);
        }
        requireUnchanged(state, List.of());
        requireTrust(connection);
        Written written = Captures.onRows(connection, wanted, ofTable -> write(ofTable, state, rows));
        List<String> end = written.end;
        boolean finished = end.isEmpty() && state.pass() == 2;
        Sql.file("adopt/backfill_save")
                .with("pass", end.isEmpty() ? 2 : state.pass())
                .with("after_key", end.isEmpty() ? null : end.toArray(String[]::new))
                .with("messages", written.messages)
                .with("finished", finished)
                .with("capture", name())
                .update(connection);
        return new Chunk(end.isEmpty() || state.pass() == 2 ? 0 : rows, written.messages, false, finished);
    }

    private Written write(Connection connection, State state, int rows) throws SQLException {
        List<String> end = key(connection, sql.end(state, rows));
        if (state.pass() == 2) {
            Sql.execute(connection, sql.lock(state, end));
        }
        return new Written(end, Sql.execute(connection, sql.insert(state, end)));
    }

    /**
     * Under a lock: the owner of the table cannot change its types, give it indexes, statistics and policies, or put a view in its place, while
     * the chunk is written. The stronger lock, which only other owners need, waits for a vacuum, and is long enough to end one that Postgres
     * has started by itself (deadlock_timeout); writers do not wait for it.
     */
    private void requireTrust(Connection connection) throws SQLException {
        Sql.execute(connection, "lock table " + table() + " in row share mode");
        if (Trust.of(connection, wanted.table().oid(), wanted.table().role(), null)
                .changedByOthers()) {
            Sql.execute(
                    connection,
                    "set local lock_timeout = '2s'; lock table " + table() + " in share update exclusive mode; "
                            + SHORT_WAIT);
        }
        CapturedTable now = CapturedTable.find(
                        connection, wanted.capture().table().text(), null)
                .filter(found -> found.oid() == wanted.table().oid())
                .orElseThrow(
                        () -> new CaptureRefusal("The table " + table() + " was replaced. Its backfill has ended."));
        if (now.filtered()) {
            throw new CaptureRefusal("Could not continue the backfill of " + name()
                    + ": row-level security now hides rows of " + table() + " from role " + now.role());
        }
        String refusal = Trust.of(connection, now.oid(), now.role(), null).refusal(table());
        if (!refusal.isEmpty()) {
            throw new CaptureRefusal("Could not continue the backfill of " + name() + ": " + refusal);
        }
    }

    /** The key of the last row of a chunk as text; empty after the last row. */
    private static List<String> key(Connection connection, String query) throws SQLException {
        return Sql.rows(connection, query, row -> {
                    List<String> key = new ArrayList<>();
                    for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                        key.add(row.getString(i));
                    }
                    return key;
                })
                .stream()
                .findFirst()
                .orElse(List.of());
    }

    /** Ends the session, and with it the lock: another process can continue the backfill. */
    @Override
    public void close() throws SQLException {
        if (session != null) {
            session.close();
        }
    }
}
