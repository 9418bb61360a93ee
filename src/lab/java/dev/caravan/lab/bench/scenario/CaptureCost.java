package dev.caravan.lab.bench.scenario;

import dev.caravan.adopt.capture.Captures;
import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.run.BenchRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.camel.util.function.ThrowingSupplier;

/** Measures how much a capture slows down the inserts of an application. */
public final class CaptureCost extends Scenario {
    private static final int BULK_ROWS = 20_000;
    private static final int BULK_TURNS = 10;
    private static final int SINGLE_ROWS = 3_000;
    private static final String NONE = "no capture";
    private static final Figure BULK = new Figure("bulk", "ms");
    private static final Figure SINGLE = new Figure("single", "µs");
    private static final Figure BULK_RATIO = Figure.ratio("bulkToNone");
    private static final Figure SINGLE_RATIO = Figure.ratio("singleToNone");

    /** The lines that each row of the result adds to its capture file. The table is named after the row. */
    private static final Map<String, String> CAPTURES = captures();

    private static Map<String, String> captures() {
        Map<String, String> captures = new LinkedHashMap<>();
        captures.put(NONE, "");
        captures.put("condition false", "events: [{on: insert, when: new.total < 0, type: order.created}]");
        captures.put("per row", "events: [{on: insert, type: order.created}]");
        captures.put("per statement", "per: statement\nevents: [{on: insert, type: order.created}]");
        return captures;
    }

    public CaptureCost() {
        super(
                "capture",
                "Inserts into a table without a capture, with one whose condition is false, with one for each row and with one for each"
                        + " statement: 20,000 rows in one statement, and one row per transaction. The tables take turns, statement by statement, in changing order."
                        + " The figures are medians of a round.");
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        try (var run = bench.servers().newRun();
                var connection = run.outbox().connect()) {
            install(run);
            Map<String, Double> bulk = bulk(bench, run, connection);
            Map<String, Double> single = single(bench, connection);
            for (String row : CAPTURES.keySet()) {
                figures.add(row, BULK, bulk.get(row));
                figures.add(row, BULK_RATIO, bulk.get(row) / bulk.get(NONE));
                figures.add(row, SINGLE, single.get(row));
                figures.add(row, SINGLE_RATIO, single.get(row) / single.get(NONE));
            }
        }
    }

    private static void install(BenchRun run) throws Exception {
        List<Path> files = new ArrayList<>();
        for (Map.Entry<String, String> capture : CAPTURES.entrySet()) {
            String table = table(capture.getKey());
            run.outbox()
                    .execute("create table " + table
                            + " (id integer primary key, status text not null, total numeric, note text)");
            if (!capture.getValue().isEmpty()) {
                files.add(Files.writeString(
                        run.folder().resolve(table + ".yaml"),
                        "table: " + table + "\naggregate-type: order\n" + capture.getValue() + "\n"));
            }
        }
        new Captures(run.outbox().dataSource()).apply(files);
    }

    private static String table(String row) {
        return row.replace(' ', '_');
    }

    private static Map<String, Double> bulk(Bench bench, BenchRun run, Connection connection) throws SQLException {
        int rows = bench.size().messages(BULK_ROWS);
        Turns turns = new Turns(BULK_TURNS);
        try (var statement = connection.createStatement()) {
            for (int turn = 0; turn <= BULK_TURNS; turn++) {
                for (String row : inTurn(turn)) {
                    int first = turn * rows;
                    String insert = "insert into " + table(row)
                            + " select i, 'new', 84.5, repeat('x', 100) from generate_series(" + (first + 1) + ", "
                            + (first + rows) + ") as i";
                    turns.time(row, turn, () -> statement.execute(insert));
                }
                run.outbox().execute("truncate outbox");
            }
        }
        return turns.medians(1e6);
    }

    private static Map<String, Double> single(Bench bench, Connection connection) throws SQLException {
        int rows = Math.min(SINGLE_ROWS, bench.size().messages(SINGLE_ROWS));
        Turns turns = new Turns(rows);
        Map<String, PreparedStatement> inserts = new LinkedHashMap<>();
        try {
            for (String row : CAPTURES.keySet()) {
                inserts.put(
                        row,
                        connection.prepareStatement("insert into " + table(row) + " values (?, 'new', 84.5, 'note')"));
            }
            for (int turn = -rows / 3; turn <= rows; turn++) { // a third more for the warm-up
                for (String row : inTurn(turn)) {
                    PreparedStatement insert = inserts.get(row);
                    insert.setInt(1, 1_000_000_000 + turn);
                    turns.time(row, turn, insert::execute);
                }
            }
        } finally {
            for (PreparedStatement insert : inserts.values()) {
                insert.close();
            }
        }
        return turns.medians(1e3);
    }

    /** The rows of the result in the order of this turn; each turn begins with another row. */
    private static List<String> inTurn(int turn) {
        List<String> rows = new ArrayList<>(CAPTURES.keySet());
        Collections.rotate(rows, turn);
        return rows;
    }

    /** The times of each row of the result. Turns up to 0 are a warm-up. */
    private static final class Turns {
        private final int count;
        private final Map<String, long[]> nanos = new LinkedHashMap<>();

        Turns(int count) {
            this.count = count;
        }

        void time(String row, int turn, ThrowingSupplier<Boolean, SQLException> insert) throws SQLException {
            long began = System.nanoTime();
            insert.get();
            if (turn > 0) {
                nanos.computeIfAbsent(row, key -> new long[count])[turn - 1] = System.nanoTime() - began;
            }
        }

        Map<String, Double> medians(double unit) {
            Map<String, Double> medians = new LinkedHashMap<>();
            nanos.forEach((row, times) -> {
                Arrays.sort(times);
                medians.put(row, times[times.length / 2] / unit);
            });
            return medians;
        }
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(
                Goal.atMost(
                        "one row, with a condition that is false, relative to no capture",
                        1.05,
                        figures.median("condition false", SINGLE_RATIO)),
                Goal.atMost(
                        "20,000 rows, per statement relative to per row",
                        0.7,
                        figures.ratio("per statement", "per row", BULK)));
    }
}
