package dev.caravan.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Loads a statement from {@code src/main/resources/sql}, where each package with statements has a folder. */
public final class SqlFile {
    private SqlFile() {}

    /** @param name folder and file name without extension, for example {@code audit/write_audit} */
    public static String file(String name) {
        try (var stream = SqlFile.class.getResourceAsStream("/sql/" + name + ".sql")) {
            if (stream == null) {
                throw new IllegalArgumentException("No statement named " + name);
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
