package dev.caravan.lab.bench.run;

import dev.caravan.base.text.TextFile;

/** The statements of the benchmark, one file each. */
public final class BenchSql {
    private static final String FOLDER = "/dev/caravan/lab/bench/sql/";

    private BenchSql() {}

    /** @param name file name without folder and ending */
    public static String read(String name) {
        return TextFile.resource(FOLDER + name + ".sql").orElseThrow();
    }
}
