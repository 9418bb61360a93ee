package dev.caravan.base.text;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Reads files in UTF-8, those of the program and those that people write. Some editors begin a file with a byte order mark, which is not part of its text: the name of
 * the first setting would begin with it.
 */
public final class TextFile {
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private TextFile() {}

    /** The text of a file, without a byte order mark. */
    public static String read(Path file) throws IOException {
        return unmarked(Files.readString(file));
    }

    /** The text of a file that the program contains; empty if it contains none with this absolute name. */
    public static Optional<String> resource(String name) {
        try (var file = TextFile.class.getResourceAsStream(name)) {
            return file == null
                    ? Optional.empty()
                    : Optional.of(new String(file.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A text without a byte order mark. */
    public static String unmarked(String text) {
        return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
    }
}
