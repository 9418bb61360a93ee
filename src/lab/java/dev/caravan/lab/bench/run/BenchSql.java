package dev.caravan.lab.bench.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The statements of the benchmark, one file each. */
public final class BenchSql {
    private static final String FOLDER = "/dev/caravan/lab/bench/sql/";

    private BenchSql() {}

    /** @param name file name without folder and ending */
    public static String read(String name) {
        try (var stream = BenchSql.class.getResourceAsStream(FOLDER + name + ".sql")) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
