package dev.caravan.cli;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.operate.failed.FailureTables;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A new database for each test, and commands on it. */
abstract class CommandFixture {
    private final List<String> group;

    @TempDir
    Path folder;

    TestOutbox database;
    FailureTables tables;
    String config;

    /** @param group the words with which most commands of the tests begin, such as {@code retries} */
    CommandFixture(String... group) {
        this.group = List.of(group);
    }

    @BeforeEach
    final void createDatabase() throws Exception {
        database = TestOutbox.create();
        tables = new FailureTables(database);
        config = CommandRun.config(folder, database);
    }

    @AfterEach
    final void closeDatabase() throws Exception {
        database.close();
    }

    /** Runs a command of the group. */
    final CommandRun run(String... args) {
        return command(Stream.concat(group.stream(), Arrays.stream(args)).toArray(String[]::new));
    }

    /** Runs any command. */
    final CommandRun command(String... args) {
        return CommandRun.of(List.of(args), "--config", config);
    }
}
