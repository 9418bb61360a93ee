package dev.caravan.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;

/** A table of an application, and the commands {@code caravan capture}. */
abstract class CaptureCommands extends CommandFixture {
    private final String tables;

    /** @param tables creates the tables of the application */
    CaptureCommands(String tables) {
        super("capture");
        this.tables = tables;
    }

    @BeforeEach
    void createTable() {
        database.execute(tables);
    }

    Path file(String name) {
        return folder.resolve(name + ".yaml");
    }

    Path write(String name, String yaml) throws IOException {
        return Files.writeString(file(name), yaml);
    }
}
