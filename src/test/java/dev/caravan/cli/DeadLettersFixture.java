package dev.caravan.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.deadletter.FailureTables;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Dead letters in a database, and the commands on them. */
abstract class DeadLettersFixture {
    static final String PAYLOAD = "'{ \"phone\" : \"secret\",\n \"n\" : 1.50 }'";

    @TempDir
    Path folder;

    FailureTables tables;
    String config;

    @BeforeEach
    void start() throws Exception {
        tables = new FailureTables();
        config = CommandRun.config(folder, tables.database);
    }

    CommandRun edited(String edit) throws Exception {
        Path file = folder.resolve("edit.json");
        Files.writeString(file, edit);
        return run("retry", "sms", "7", "--edit", file.toString());
    }

    CommandRun run(String... args) {
        List<String> all = new ArrayList<>(List.of("dead-letters"));
        all.addAll(List.of(args));
        all.addAll(List.of("--config", config));
        return CommandRun.of(all.toArray(String[]::new));
    }

    static JsonNode json(CommandRun run) throws Exception {
        return new ObjectMapper().readTree(run.out());
    }
}
