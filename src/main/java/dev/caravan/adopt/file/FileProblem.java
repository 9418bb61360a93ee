package dev.caravan.adopt.file;

import java.nio.file.Path;

/** A problem in a file that defines a capture or an intake, or with the table that it names. */
public record FileProblem(Path file, int line, String text) {
    /** In the form of a compiler message: file, line and text. */
    @Override
    public String toString() {
        return file + ":" + line + ": " + text;
    }
}
