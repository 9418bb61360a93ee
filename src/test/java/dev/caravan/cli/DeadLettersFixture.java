package dev.caravan.cli;

import java.nio.file.Files;
import java.nio.file.Path;

/** The commands on dead letters. */
abstract class DeadLettersFixture extends CommandFixture {
    static final String PAYLOAD = "'{ \"phone\" : \"secret\",\n \"n\" : 1.50 }'";

    DeadLettersFixture() {
        super("dead-letters");
    }

    CommandRun edited(String edit) throws Exception {
        Path file = folder.resolve("edit.json");
        Files.writeString(file, edit);
        return run("retry", "sms", "7", "--edit", file.toString());
    }
}
