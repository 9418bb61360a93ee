package dev.caravan.lab.demo;

import dev.caravan.base.text.TextFile;

/** The statements of the demo, one file each. */
final class DemoSql {
    private DemoSql() {}

    /** @param name file name without folder and ending */
    static String read(String name) {
        return TextFile.resource("/dev/caravan/lab/demo/sql/" + name + ".sql").orElseThrow();
    }
}
