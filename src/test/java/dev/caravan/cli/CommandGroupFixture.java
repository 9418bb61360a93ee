package dev.caravan.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.operate.failed.FailureTables;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A new database for each test, and the commands of one group on it, such as {@code retries}. */
abstract class CommandGroupFixture {
    private final String group;

    @TempDir
    Path folder;

    FailureTables tables;
    String config;

    CommandGroupFixture(String group) {
        this.group = group;
    }

    @BeforeEach
    void createDatabase() throws Exception {
        tables = new FailureTables();
        config = CommandRun.config(folder, tables.database);
    }

    /** Runs a command of the group. */
    CommandRun run(String... args) {
        List<String> all = new ArrayList<>(List.of(group));
        all.addAll(List.of(args));
        all.addAll(List.of("--config", config));
        return CommandRun.of(all.toArray(String[]::new));
    }

    static JsonNode json(CommandRun run) throws Exception {
        return new ObjectMapper().readTree(run.out());
    }
}
