package dev.caravan.lab.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The statements of the demo, one file each. */
final class DemoSql {
    private DemoSql() {}

    /** @param name file name without folder and ending */
    static String read(String name) {
        try (var stream = DemoSql.class.getResourceAsStream("sql/" + name + ".sql")) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
