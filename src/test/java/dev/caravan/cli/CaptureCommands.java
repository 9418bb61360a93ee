package dev.caravan.cli;

import dev.caravan.camel.outbox.TestOutbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A database with a table of an application, and the commands {@code caravan capture}. */
abstract class CaptureCommands {
    private final String tables;

    @TempDir
    Path folder;

    TestOutbox database;
    String config;

    /** @param tables creates the tables of the application */
    CaptureCommands(String tables) {
        this.tables = tables;
    }

    @BeforeEach
    void createTable() throws Exception {
        database = TestOutbox.create();
        config = CommandRun.config(folder, database);
        database.execute(tables);
    }

    @AfterEach
    void close() throws Exception {
        database.close();
    }

    Path file(String name) {
        return folder.resolve(name + ".yaml");
    }

    Path write(String name, String yaml) throws IOException {
        return Files.writeString(file(name), yaml);
    }

    CommandRun run(String... args) {
        List<String> all = new ArrayList<>(List.of("capture"));
        all.addAll(Arrays.asList(args));
        all.addAll(List.of("--config", config));
        return CommandRun.of(all.toArray(String[]::new));
    }
}
