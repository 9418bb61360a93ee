package dev.caravan.adopt.capture;

import java.nio.file.Path;

/** A problem in a capture file, or with the table that it names. */
record CaptureProblem(Path file, int line, String text) {
    /** In the form of a compiler message: file, line and text. */
    @Override
    public String toString() {
        return file + ":" + line + ": " + text;
    }
}
