package dev.caravan.adopt.capture;

import dev.caravan.adopt.file.FileProblem;
import dev.caravan.base.text.SqlText;
import dev.caravan.database.Sql;
import dev.caravan.database.TemporarySettings;
import dev.caravan.database.Transaction;
import dev.caravan.database.schema.ForeignCode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** Installs captures in the database, compares them with their files, and removes them. */
public final class Captures {
    private static final String LOCK_WAIT = "set local lock_timeout = '3s'";
    static final String NOT_LOCKED = "55P03";
    private static final String NOT_INSTALLED = "is not installed";
    /** The SQLSTATEs of a text that cannot be a name: Postgres before version 16 raises an error, and later versions find no table. */
    private static final String NO_NAME = "42602|42601|0A000";
    /** The SQLSTATEs of a function, an operator, a type or a table that does not exist. */
    private static final String UNKNOWN_NAME = "42883|42704|42P01";

    private final DataSource dataSource;

    public Captures(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * The result of installing one capture.
     *
     * @param byOwner whether its function runs with the rights of its owner; otherwise with those of the writer
     */
    public record Applied(String name, String table, boolean changed, boolean byOwner) {}

    record Wanted(Capture capture, CapturedTable table) {
        CaptureSql sql() {
            return new CaptureSql(capture, table);
        }

        MessageSql messages() {
            return new MessageSql(capture, table);
        }

        /** The subscription of its take-over. */
        String subscription() {
            return capture.takeOver().orElseThrow().subscription().text();
        }

        TakeOverSql takeOver() {
            return new TakeOverSql(capture, table);
        }
    }

    /**
     * The SQL of all captures as one script.
     *
     * @throws CaptureRefusal with all problems of all files
     */
    public String print(List<Path> files) throws SQLException {
        return inDatabase(connection -> wanted(connection, files, false).stream()
                .map(wanted ->
                        "-- " + wanted.capture().file().getFileName() + "\nset standard_conforming_strings = on;\n"
                                + wanted.sql().script())
                .collect(Collectors.joining("\n")));
    }

    /**
     * Installs captures, each in one transaction. A capture that is installed already is not changed, and takes no lock.
     *
     * @throws CaptureRefusal with all problems of all files, or if a table was not locked in time
     */
    public List<Applied> apply(List<Path> files) throws SQLException {
        List<Applied> applied = new ArrayList<>();
        for (Wanted wanted : inDatabase(connection -> wanted(connection, files, true))) {
            applied.add(apply(wanted));
        }
        return applied;
    }

    private Applied apply(Wanted wanted) throws SQLException {
        return locking(wanted.capture().name(), wanted.table().name(), connection -> {
            List<String> differences = differences(connection, wanted);
            if (wanted.capture().takeOver().isPresent()) {
                requireApplicable(connection, wanted);
            }
            if (!differences.isEmpty()) {
                install(connection, wanted);
            }
            return new Applied(
                    wanted.capture().name(),
                    wanted.table().name(),
                    !differences.isEmpty(),
                    wanted.table().capturedByOwner());
        });
    }

    /**
     * Whether the capture may be installed again from its file.
     *
     * @throws CaptureRefusal if the table is not taken over, or if an undo would not find the messages of waiting rows
     */
    private static void requireApplicable(Connection connection, Wanted wanted) throws SQLException {
        Capture capture = wanted.capture();
        String refused = "Could not install capture " + capture.name() + ": ";
        Optional<InstalledCapture> installed = InstalledCapture.find(connection, capture.name());
        if (installed.isEmpty()) {
            throw new CaptureRefusal(refused + capture.file()
                    + " has a section take-over. Nothing was changed. Run: ./caravan capture take-over "
                    + capture.file());
        }
        String subscription = wanted.subscription();
        boolean waiting = TakeOverSubscription.find(connection, subscription)
                .filter(TakeOverSubscription::paused)
                .isPresent();
        if (waiting && !installed.get().body().equals(wanted.sql().body())) {
            throw new CaptureRefusal(
                    refused + "the take-over is not complete, and with another function it could not be undone."
                            + " Nothing was changed. Complete it or undo it with the file as it was, or resume "
                            + subscription + " first.");
        }
    }

    static void install(Connection connection, Wanted wanted) throws SQLException {
        CaptureSql sql = wanted.sql();
        List<CaptureSql.Trigger> triggers = sql.triggers();
        run(connection, wanted.capture(), wanted.capture().table().line(), sql.functionStatements());
        for (CaptureSql.Trigger trigger : triggers) {
            run(connection, wanted.capture(), trigger.line(), List.of(trigger.create()));
        }
        Set<String> names = triggers.stream().map(CaptureSql.Trigger::name).collect(Collectors.toSet());
        List<String> corrections = new ArrayList<>();
        for (InstalledCapture.InstalledTrigger each : InstalledCapture.find(
                        connection, wanted.capture().name())
                .orElseThrow()
                .triggers()) {
            if (!each.copy()
                    && !(names.contains(each.name())
                            && each.table().equals(wanted.table().name()))) {
                corrections.add(each.drop());
            } else if (!each.enabled().equals(sql.firing())) {
                corrections.add(sql.enable(each.table(), each.name()));
            }
        }
        run(connection, wanted.capture(), wanted.capture().table().line(), corrections);
        requireNoForeignCode(connection, wanted);
    }

    /**
     * The conditions of triggers have operators on the columns of the table. Postgres has looked them up by now, so this is certain, also if another
     * role has created one for a moment.
     */
    private static void requireNoForeignCode(Connection connection, Wanted wanted) throws SQLException {
        List<String> found = Sql.file("adopt/trigger_code")
                .with("function", wanted.sql().functionName() + "()")
                .query(
                        connection,
                        row -> row.getString("name") + " of "
                                + Optional.ofNullable(row.getString("owner")).orElse("a role that has dropped it"));
        if (!found.isEmpty()) {
            throw new CaptureRefusal(
                    "Could not install capture " + wanted.capture().name() + ": conditions of its triggers would run "
                            + String.join(", ", found)
                            + ", which they find in the schema of the outbox instead of what belongs to Postgres."
                            + " Nothing was changed. Drop it, and let no other role create in the schema: revoke create on schema "
                            + wanted.table().schema() + " from public");
        }
    }

    /**
     * Runs statements that are composed of the file and of the columns of the table. If another role could create an operator or a function for
     * them, they find only what belongs to Postgres.
     *
     * @throws CaptureRefusal if they need something else
     */
    static <T> T onRows(Connection connection, Wanted wanted, Transaction.Work<T> work) throws SQLException {
        Optional<String> foreign = ForeignCode.possible(connection);
        if (foreign.isEmpty()) {
            return work.in(connection);
        }
        String refused = "Could not use capture " + wanted.capture().name() + ": ";
        if (!wanted.table().ofExtensions().isEmpty()) {
            throw new CaptureRefusal(refused + "columns of " + wanted.table().name() + " have types of extensions ("
                    + String.join(", ", wanted.table().ofExtensions())
                    + "), whose operators could be those of another role: "
                    + foreign.get() + ". Nothing was changed.");
        }
        try (var settings = new TemporarySettings(connection, Map.of("search_path", ForeignCode.ONLY_POSTGRES))) {
            return work.in(connection);
        } catch (SQLException e) {
            if (!String.valueOf(e.getSQLState()).matches(UNKNOWN_NAME)) {
                throw e;
            }
            throw new CaptureRefusal(
                    refused + e.getMessage().lines().findFirst().orElse("") + ". Its conditions find only what"
                            + " belongs to Postgres without a schema before the name: " + foreign.get()
                            + ". Nothing was changed.");
        }
    }

    private static void run(Connection connection, Capture capture, int line, List<String> statements)
            throws SQLException {
        for (String text : statements) {
            try {
                Sql.execute(connection, text);
            } catch (SQLException e) {
                if (NOT_LOCKED.equals(e.getSQLState())) {
                    throw e;
                }
                throw new CaptureRefusal("Could not install capture " + capture.name() + ". Nothing was changed.\n"
                        + capture.problem(
                                line, e.getMessage().lines().findFirst().orElse("")));
            }
        }
    }

    /**
     * All problems of the files, their tables and the installed captures; empty if there are none.
     *
     * @param all whether these are all files, so that an installed capture without a file is a problem too
     */
    public List<String> check(List<Path> files, boolean all) throws SQLException {
        return inDatabase(connection -> {
            List<FileProblem> problems = new ArrayList<>();
            List<Wanted> wanted = read(connection, files, problems);
            List<String> wrong =
                    new ArrayList<>(problems.stream().map(FileProblem::toString).toList());
            for (Wanted each : wanted) {
                CaptureCheck.missingRightsOfWriters(connection, each.capture(), each.table())
                        .forEach(problem -> wrong.add(problem.toString()));
                InstalledCapture.ofStranger(connection, each.capture(), each.table())
                        .forEach(problem -> wrong.add(problem.toString()));
                differences(connection, each)
                        .forEach(text -> wrong.add(each.capture()
                                .problem(
                                        each.capture().table().line(),
                                        text + ". Run: ./caravan capture "
                                                + (text.equals(NOT_INSTALLED)
                                                                && each.capture()
                                                                        .takeOver()
                                                                        .isPresent()
                                                        ? "take-over"
                                                        : "apply"))
                                .toString()));
            }
            if (all && problems.isEmpty()) {
                Set<String> names =
                        wanted.stream().map(each -> each.capture().name()).collect(Collectors.toSet());
                InstalledCapture.all(connection).stream()
                        .filter(installed -> !names.contains(installed.name()))
                        .forEach(installed -> wrong.add("capture " + installed.name() + " of " + installed.tables()
                                + " is installed, but has no file. Remove it with: ./caravan capture remove "
                                + installed.name()));
            }
            return wrong;
        });
    }

    /** The installed captures, in order of name. */
    public List<InstalledCapture> list() throws SQLException {
        return inDatabase(connection -> InstalledCapture.all(connection));
    }

    /** What is wrong with the rights of installed captures: an owner of a table, or of a type of it, could gain those of the outbox. */
    public List<String> rightsThatOthersGain() throws SQLException {
        return inDatabase(connection -> {
            List<String> wrong = new ArrayList<>();
            for (ByOwner each : Sql.file("adopt/run_by_owner").query(connection, ByOwner.class)) {
                String runs = "The function of capture " + each.capture() + " of " + each.table()
                        + " runs with the rights of its owner, " + each.owner() + ", and ";
                Trust trust = Trust.of(connection, each.tableOid(), each.owner(), each.mark());
                if (!trust.isComplete()) {
                    wrong.add(runs + String.join(", ", trust.untrusted())
                            + " could run statements with them by casts of the types of the columns, or by triggers, constraints and other code of the table."
                            + " Run: ./caravan capture apply");
                }
                if (each.callers() != null) {
                    wrong.add(runs + each.callers()
                            + " may attach it to a table of their own, whose types then run with them."
                            + " Run: ./caravan capture apply");
                }
            }
            return wrong;
        });
    }

    private record ByOwner(String capture, long tableOid, String table, String owner, String mark, String callers) {}

    /** Removes the triggers and the function of a capture in one transaction. Returns the removed capture; empty if there was none. */
    public Optional<InstalledCapture> remove(String name) throws SQLException {
        Optional<InstalledCapture> found = inDatabase(connection -> InstalledCapture.find(connection, name));
        if (found.isPresent()) {
            locking(name, found.get().tables(), connection -> {
                drop(connection, found.get());
                return Sql.file("adopt/backfill_delete").with("capture", name).update(connection);
            });
        }
        return found;
    }

    static void drop(Connection connection, InstalledCapture installed) throws SQLException {
        for (InstalledCapture.InstalledTrigger each : installed.own()) {
            Sql.execute(connection, each.drop());
        }
        Sql.execute(connection, "drop function " + SqlText.identifier(Capture.functionOf(installed.name())) + "()");
    }

    static List<String> differences(Connection connection, Wanted wanted) throws SQLException {
        return InstalledCapture.find(connection, wanted.capture().name())
                .map(installed -> installed.differences(wanted.sql(), wanted.table()))
                .orElse(List.of(NOT_INSTALLED));
    }

    static List<Wanted> wanted(Connection connection, List<Path> files, boolean toInstall) throws SQLException {
        List<FileProblem> problems = new ArrayList<>();
        List<Wanted> wanted = read(connection, files, problems);
        if (toInstall) {
            for (Wanted each : wanted) {
                problems.addAll(CaptureCheck.missingRights(each.capture(), each.table()));
                problems.addAll(InstalledCapture.ofStranger(connection, each.capture(), each.table()));
                problems.addAll(CaptureCheck.missingRightsOfWriters(connection, each.capture(), each.table()));
                if (each.capture().takeOver().isPresent()) {
                    problems.addAll(TakeOverCheck.missingRights(connection, each.capture(), each.table()));
                }
            }
        }
        CaptureRefusal.throwIfAny(problems);
        return wanted;
    }

    /** Reads the files and their tables. Returns the captures without a problem. */
    private static List<Wanted> read(Connection connection, List<Path> files, List<FileProblem> problems)
            throws SQLException {
        List<Wanted> wanted = new ArrayList<>();
        for (Path file : files) {
            Optional<Capture> capture = CaptureFile.read(file, problems);
            if (capture.isPresent()) {
                Optional<CapturedTable> table = table(connection, capture.get(), problems);
                List<FileProblem> found = new ArrayList<>(table.map(each -> CaptureCheck.problems(capture.get(), each))
                        .orElse(List.of()));
                if (table.isPresent()
                        && found.isEmpty()
                        && capture.get().takeOver().isPresent()) {
                    found.addAll(TakeOverCheck.problems(connection, capture.get(), table.get()));
                }
                problems.addAll(found);
                if (table.isPresent() && found.isEmpty()) {
                    wanted.add(new Wanted(capture.get(), table.get()));
                }
            }
        }
        return wanted;
    }

    private static Optional<CapturedTable> table(Connection connection, Capture capture, List<FileProblem> problems)
            throws SQLException {
        Optional<CapturedTable> table;
        try {
            table = CapturedTable.find(connection, capture.table().text(), capture.mark());
        } catch (SQLException e) {
            if (!String.valueOf(e.getSQLState()).matches(NO_NAME)) {
                throw e;
            }
            table = Optional.empty();
        }
        if (table.isEmpty()) {
            problems.add(capture.problem(
                    capture.table().line(),
                    "table " + capture.table().text() + " does not exist, or the role has no USAGE on its schema"));
        }
        return table;
    }

    /** Runs work in autocommit mode: a statement that fails, for example because of an invalid name, then aborts no transaction. */
    <T> T inDatabase(Transaction.Work<T> work) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return work.in(connection);
        }
    }

    /** Refuses because another session has a lock of Caravan, which every role that can connect can hold. */
    CaptureRefusal isLocked(String what, String lock) throws SQLException {
        String holder = inDatabase(connection -> Sql.file("database/lock_holder")
                        .with("name", lock)
                        .first(connection, row -> row.getString("name")))
                .map(name -> ": " + name)
                .orElse("");
        return new CaptureRefusal(
                "Another process is running " + what + holder + ". Nothing was changed. If that session"
                        + " is no command of Caravan that works, end it with pg_terminate_backend.");
    }

    <T> T locking(String name, String table, Transaction.Work<T> work) throws SQLException {
        try {
            return Transaction.run(dataSource, connection -> {
                Sql.execute(connection, LOCK_WAIT);
                return work.in(connection);
            });
        } catch (SQLException e) {
            if (NOT_LOCKED.equals(e.getSQLState())) {
                throw new CaptureRefusal("Could not change capture " + name + ": another transaction held a lock on "
                        + table
                        + " for 3 s. Nothing was changed. Find it in pg_stat_activity (xact_start), and run the command"
                        + " again when it has ended. To wait longer would stop all writes of the table.");
            }
            throw e;
        }
    }
}
