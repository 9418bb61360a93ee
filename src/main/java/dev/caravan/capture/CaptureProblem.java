package dev.caravan.capture;

import java.nio.file.Path;

/** What is wrong in a capture file, or with the table that it names. */
record CaptureProblem(Path file, int line, String text) {
    /** As compilers write it. */
    @Override
    public String toString() {
        return file + ":" + line + ": " + text;
    }
}
