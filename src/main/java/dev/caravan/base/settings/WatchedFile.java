package dev.caravan.base.settings;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.text.TextFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Supplies the parsed content of a file, and reads the file again at most once a second. While the file is missing, invalid or being
 * written, the last valid version is supplied. Thread-safe.
 *
 * @param <T> the type of the parsed content
 */
public final class WatchedFile<T> implements Supplier<T> {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedFile.class);
    private static final long NANOS_BETWEEN_READS = TimeUnit.SECONDS.toNanos(1);
    private static final long MAX_BYTES = 1 << 20;

    private final Path file;
    private final Function<String, T> parser;
    private final Clock clock;
    private volatile T current;
    private String text;
    private volatile long readAt;
    private String problem = "";
    /** What was read last while the file was being written. */
    private String unfinished = "";

    /**
     * Reads the file.
     *
     * @param parser throws an IllegalArgumentException for an invalid text. Its message must not quote a secret
     * @throws IllegalArgumentException if the file cannot be read or is invalid
     */
    public WatchedFile(Path file, Function<String, T> parser, Clock clock) {
        this.file = file;
        this.parser = parser;
        this.clock = clock;
        load(read());
        readAt = clock.nanos();
    }

    private String read() {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new IllegalArgumentException("The file " + file + " is longer than 1 MB");
            }
            return TextFile.read(file);
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException("The file " + file + " does not exist");
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "The file " + file + " could not be read (" + e.getClass().getSimpleName() + ")");
        }
    }

    private void load(String newText) {
        try {
            current = parser.apply(newText);
            text = newText;
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("The file " + file + " is invalid: " + e.getMessage());
        }
    }

    @Override
    public T get() {
        if (clock.nanos() - readAt >= NANOS_BETWEEN_READS) {
            refresh();
        }
        return current;
    }

    private synchronized void refresh() {
        if (clock.nanos() - readAt < NANOS_BETWEEN_READS) {
            return;
        }
        readAt = clock.nanos();
        try {
            String newText = read();
            if (!newText.equals(text)) {
                if (mayBeUnfinished(newText)) {
                    return;
                }
                load(newText);
                LOG.info("Loaded the changed file {}", file);
            }
            problem = "";
        } catch (IllegalArgumentException e) {
            if (!e.getMessage().equals(problem)) {
                problem = e.getMessage();
                LOG.warn("{}. Its last valid version remains in use. Correct the file", problem);
            }
        }
    }

    /**
     * Whether a program may still be writing the file: a half of it may be valid too. It is complete when it is a second old, or has not
     * changed for a second.
     */
    private boolean mayBeUnfinished(String read) {
        try {
            long age = clock.millis() - Files.getLastModifiedTime(file).toMillis();
            boolean isSame = read.equals(unfinished);
            unfinished = read;
            return !isSame && age >= 0 && age < NANOS_BETWEEN_READS / 1_000_000;
        } catch (IOException e) {
            return true; // the next read reports it
        }
    }
}
