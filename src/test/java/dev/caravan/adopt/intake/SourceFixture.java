package dev.caravan.adopt.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.adopt.file.FileProblem;
import dev.caravan.database.Sql;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Files of intakes, and rows that their statements read. */
final class SourceFixture {
    private SourceFixture() {}

    /** The intake of a file with these fields, in a folder of its own. */
    static Intake intake(String... lines) {
        List<FileProblem> problems = new ArrayList<>();
        Intake intake = IntakeFile.read(file("shop.yaml", lines), problems).orElse(null);
        assertThat(problems).isEmpty();
        return intake;
    }

    /**
     * The intake of a file with the usual fields. Those for which there are lines are left out.
     *
     * @param message the section, on one or several lines
     * @param more lines
     */
    static Intake shop(String table, String message, String... more) {
        List<String> usual = List.of("table: " + table, "pending: state = 0", "mark: state = 1");
        String given = String.join("\n", more);
        List<String> lines = new ArrayList<>(List.of("intake: shop", "dataSource: shopDb"));
        usual.stream()
                .filter(line -> !given.contains(line.substring(0, line.indexOf(' '))))
                .forEach(lines::add);
        lines.addAll(List.of(more));
        if (!given.contains("message:")) {
            lines.add(message);
        }
        return intake(lines.toArray(String[]::new));
    }

    static List<String> warnings(Intake intake, Connection connection) throws SQLException {
        return Source.of(intake, connection).warnings(connection).stream()
                .map(FileProblem::text)
                .toList();
    }

    /** The keys of rows, as they are read again after they were stored. */
    static List<RowKey> storedKeys(List<SourceRow> rows) {
        return rows.stream().map(row -> RowKey.of(row.key().json())).toList();
    }

    /** A file with these lines. */
    static Path file(String name, String... lines) {
        try {
            Path file = Files.createTempDirectory("intakes").resolve(name);
            file.getParent().toFile().deleteOnExit(); // the last one is deleted first
            file.toFile().deleteOnExit();
            return Files.writeString(file, String.join("\n", lines) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The rows that are pending, in their order. */
    static Source.Rows read(Source source, Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setFetchSize(source.fetchSize());
            try (ResultSet rows = statement.executeQuery(source.select())) {
                return source.read(rows);
            }
        }
    }

    /** The length of the longest value that the database returns for a read. */
    static int longestValue(Source source, Connection connection) throws SQLException {
        int longest = 0;
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(source.select())) {
            while (rows.next()) {
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    longest =
                            Math.max(longest, String.valueOf(rows.getString(i)).length());
                }
            }
        }
        return longest;
    }

    /** Executes statements one by one. */
    static void execute(Connection connection, String... statements) throws SQLException {
        for (String each : statements) {
            Sql.execute(connection, each);
        }
    }
}
