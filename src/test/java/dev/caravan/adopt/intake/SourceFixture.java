package dev.caravan.adopt.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.adopt.file.FileProblem;
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

    /** A file with these lines. */
    static Path file(String name, String... lines) {
        try {
            Path file = Files.createTempDirectory("intakes").resolve(name);
            file.toFile().deleteOnExit();
            file.getParent().toFile().deleteOnExit();
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

    /** Executes statements one by one. */
    static void execute(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }
}
