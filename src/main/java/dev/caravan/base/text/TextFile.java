package dev.caravan.base.text;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads files that people write, in UTF-8. Some editors begin a file with a byte order mark, which is not part of its text: the name of
 * the first setting would begin with it.
 */
public final class TextFile {
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private TextFile() {}

    /** The text of a file, without a byte order mark. */
    public static String read(Path file) throws IOException {
        return unmarked(Files.readString(file));
    }

    /** A text without a byte order mark. */
    public static String unmarked(String text) {
        return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
    }
}
