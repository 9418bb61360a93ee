package dev.caravan.lab.bench.scenario;

import dev.caravan.base.settings.Settings;
import dev.caravan.lab.bench.contender.BenchRoutes;
import dev.caravan.lab.bench.contender.CaravanContender;
import dev.caravan.lab.bench.contender.CopyLoopMain;
import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.run.BenchRun;
import dev.caravan.lab.bench.run.BenchSql;
import dev.caravan.lab.bench.run.Outbox;
import dev.caravan.lab.bench.run.Program;
import dev.caravan.lab.bench.run.SourceTable;
import dev.caravan.lab.servers.MariaDbServer;
import dev.caravan.routes.component.UserJars;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/** Measures how fast an intake copies the rows of a MariaDB into the outbox, and how long a committed row takes until it is visible there. */
public final class IntakeScenario extends Scenario {
    private static final int ROWS = 500_000;
    private static final int TRANSACTIONS_PER_SECOND = 200;
    private static final Duration LIMIT = Duration.ofMinutes(30);

    private static final String LIMIT_LOOP = "limit";
    private static final String CARAVAN = "caravan";

    private static final Figure CPU_OF_SOURCE = new Figure("cpuOfMariaDbPerRow", "µs");
    private static final Figure CPU_OF_OUTBOX = new Figure("cpuOfPostgresPerRow", "µs");

    /** What copies: an intake, or a loop with its statements. */
    private interface Copier {
        Program start(BenchRun run, SourceTable source) throws Exception;
    }

    @Override
    public boolean isPartOfAll() {
        return false; // needs MariaDB and its driver
    }

    public IntakeScenario() {
        super(
                "intake",
                "A backlog of 500,000 rows of a MariaDB, or of --messages, is copied into the outbox and marked in batches of --batch, by a loop with"
                        + " the same statements that forgets everything when it is killed (the limit), and by an intake. Then rows are committed one by one, 200"
                        + " per second, for --seconds after a warm-up of the same length (at most 10 s): the scenario measures the time from the return of the commit until the"
                        + " message is visible in the outbox, which is read every 2 ms.");
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        Path lib = lib();
        try (MariaDbServer mariadb = mariaDb(lib)) {
            Map<String, Copier> copiers = Map.of(
                    LIMIT_LOOP, (run, source) -> loop(bench, run, source, lib),
                    CARAVAN, (run, source) -> relay(bench, run, source, lib));
            for (String row : List.of(LIMIT_LOOP, CARAVAN)) {
                backlog(bench, mariadb, copiers.get(row), figures, row);
            }
            for (String row : List.of(LIMIT_LOOP, CARAVAN)) {
                lag(bench, mariadb, copiers.get(row), figures, row);
            }
        }
    }

    /** The folder of the user's own jars, which is that of the measured relay. */
    private static Path lib() {
        String home = System.getenv("CARAVAN_HOME");
        Path settings = Path.of(home == null ? "" : home).toAbsolutePath().resolve("application.properties");
        return Path.of(Settings.load(settings, Map.of(), System.getenv()).text("caravan.lib", "lib"));
    }

    private static MariaDbServer mariaDb(Path lib) throws Exception {
        UserJars.in(lib).classLoader(); // registers the driver
        try {
            DriverManager.getDriver("jdbc:mariadb://localhost/");
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "The driver of MariaDB is neither on the class path nor in " + lib
                            + ". Run ./caravan component add org.mariadb.jdbc:mariadb-java-client:3.5.1",
                    e);
        }
        return MariaDbServer.start();
    }

    private static Program loop(Bench bench, BenchRun run, SourceTable source, Path lib) throws Exception {
        Outbox outbox = run.outbox();
        return Program.start(
                "copy-loop",
                run.folder(),
                run.javaOptions(),
                CopyLoopMain.class,
                List.of(
                        source.url(),
                        source.user(),
                        outbox.url(),
                        outbox.user(),
                        lib.toString(),
                        Integer.toString(bench.size().batch()),
                        CopyLoopMain.MARK_AFTER),
                Map.of(
                        CopyLoopMain.SOURCE_PASSWORD, source.password(),
                        CopyLoopMain.OUTBOX_PASSWORD, outbox.password()));
    }

    private static Program relay(Bench bench, BenchRun run, SourceTable source, Path lib) throws Exception {
        Map<String, String> settings = new HashMap<>(
                source.intake(run.folder().resolve("intakes"), bench.size().batch()));
        settings.put("caravan.lib", lib.toString());
        return CaravanContender.relay(run, "relay", List.of(BenchRoutes.unused()), settings);
    }

    private static void backlog(Bench bench, MariaDbServer mariadb, Copier copier, Figures figures, String row)
            throws Exception {
        int rows = bench.size().messages(ROWS);
        try (BenchRun run = bench.servers().newRun()) {
            Outbox outbox = run.outbox();
            SourceTable source = new SourceTable(mariadb);
            source.fill(rows, bench.size().keys(), bench.size().bytes());
            outbox.makePartitions(rows);
            Duration sourceBefore = source.serverCpu();
            try (Program program = copier.start(run, source)) {
                awaitCopied(outbox, source, rows, program);
                figures.add(row, Figure.CPU, micros(program.cpu(), rows));
                figures.add(row, CPU_OF_SOURCE, micros(source.serverCpu().minus(sourceBefore), rows));
                figures.add(row, CPU_OF_OUTBOX, micros(outbox.serverCpu(), rows));
            }
            requireOnce(outbox, rows);
            figures.add(row, Figure.RATE, rate(outbox, 0));
            figures.add(row, Figure.WARM_RATE, rate(outbox, rows / 5));
        }
    }

    private static void awaitCopied(Outbox outbox, SourceTable source, int rows, Program program) throws Exception {
        outbox.await("everything is copied", program, () -> outbox.maxId() >= rows);
        outbox.await("everything is marked", program, () -> source.pending() == 0);
    }

    private static double micros(Duration time, int rows) {
        return time.toNanos() / 1e3 / rows;
    }

    private static void requireOnce(Outbox outbox, int rows) throws SQLException {
        String found =
                outbox.text("select count(*) || ' messages of ' || count(distinct message_id) || ' rows' from outbox");
        if (!found.equals(rows + " messages of " + rows + " rows")) {
            throw new IllegalStateException("Of " + rows + " rows the outbox has " + found);
        }
    }

    /** Messages per second from the time of the first to that of the last, without some at the beginning. */
    private static double rate(Outbox outbox, int skipped) throws SQLException {
        return Double.parseDouble(outbox.text(
                "select (count(*) - 1) / extract(epoch from max(created_at) - min(created_at)) from (select created_at from outbox"
                        + " order by id offset " + skipped + ") measured"));
    }

    private static void lag(Bench bench, MariaDbServer mariadb, Copier copier, Figures figures, String row)
            throws Exception {
        int warmUp = TRANSACTIONS_PER_SECOND * Math.min(bench.size().seconds(), 10);
        int rows = warmUp + TRANSACTIONS_PER_SECOND * bench.size().seconds();
        try (BenchRun run = bench.servers().newRun()) {
            Outbox outbox = run.outbox();
            SourceTable source = new SourceTable(mariadb);
            source.fill(1, 1, bench.size().bytes());
            outbox.makePartitions(rows);
            try (Program program = copier.start(run, source)) {
                awaitCopied(outbox, source, 1, program);
                long[] committed = new long[rows];
                CompletableFuture<long[]> visible = CompletableFuture.supplyAsync(() -> observe(outbox, rows));
                write(source, bench.size().keys(), bench.size().bytes(), committed);
                long[] seen = visible.get();
                program.requireAlive();
                long[] nanos = new long[rows - warmUp];
                Arrays.setAll(nanos, i -> Math.max(0, seen[warmUp + i] - committed[warmUp + i]));
                Arrays.sort(nanos);
                for (int percent : new int[] {50, 99}) {
                    figures.add(
                            row,
                            Figure.latency(percent, TRANSACTIONS_PER_SECOND),
                            Latency.quantile(nanos, percent) / 1e6);
                }
            }
        }
    }

    /** Commits rows one by one, and stores the time at which each commit returned. */
    private static void write(SourceTable source, int keys, int bytes, long[] committed) throws SQLException {
        String filler = "x".repeat(Math.max(1, bytes - 30));
        try (Connection connection = source.connect();
                var insert = connection.prepareStatement(BenchSql.read("source_insert"))) {
            long began = System.nanoTime();
            for (int number = 0; number < committed.length; number++) {
                long turn = began + number * 1_000_000_000L / TRANSACTIONS_PER_SECOND;
                for (long left = turn - System.nanoTime(); left > 0; left = turn - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                insert.setString(1, new java.util.UUID(0, number).toString());
                insert.setString(2, "order-" + number % keys);
                insert.setString(3, "{\"number\":" + number + ",\"text\":\"" + filler + "\"}");
                insert.executeUpdate(); // autocommit: committed when it returns
                committed[number] = System.nanoTime();
            }
        }
    }

    /** The times at which the messages of {@link #write} were visible. One process inserts all, so that none appears behind a later one. */
    private static long[] observe(Outbox outbox, int rows) {
        long[] seen = new long[rows];
        long end = System.nanoTime() + LIMIT.toNanos();
        long last = 1; // the row of the start
        int found = 0;
        try (Connection connection = outbox.connect();
                var read = connection.prepareStatement(
                        "select id, payload->>'number' from outbox where id > ? order by id")) {
            while (found < rows) {
                if (System.nanoTime() > end) {
                    throw new IllegalStateException(found + " of " + rows + " messages were visible after " + LIMIT);
                }
                LockSupport.parkNanos(2_000_000);
                read.setLong(1, last);
                try (ResultSet messages = read.executeQuery()) {
                    long now = System.nanoTime();
                    while (messages.next()) {
                        last = messages.getLong(1);
                        seen[messages.getInt(2)] = now;
                        found++;
                    }
                }
            }
            return seen;
        } catch (SQLException e) {
            throw new IllegalStateException("Could not read the outbox", e);
        }
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(
                Goal.atLeast(
                        "the intake's rate relative to the limit",
                        0.6,
                        figures.ratioToLimit(CARAVAN).orElseThrow().median()),
                Goal.atLeast("rows per second", 20_000, figures.median(CARAVAN, Figure.RATE)),
                Goal.atMost(
                        "p50 at 200 per second, in ms",
                        100,
                        figures.median(CARAVAN, Figure.latency(50, TRANSACTIONS_PER_SECOND))));
    }
}
