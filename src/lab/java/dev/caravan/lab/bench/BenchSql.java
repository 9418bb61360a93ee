package dev.caravan.lab.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The statements of the benchmark, one file each. */
final class BenchSql {
    private BenchSql() {}

    /** @param name file name without folder and ending */
    static String read(String name) {
        try (var stream = BenchSql.class.getResourceAsStream("sql/" + name + ".sql")) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
