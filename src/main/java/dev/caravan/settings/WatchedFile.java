package dev.caravan.settings;

import dev.caravan.clock.Clock;
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
 * What a file contains. The file is compared at most once a second; while it is missing or wrong, its last version stays in use.
 *
 * @param <T> what the text of the file is parsed to
 */
public final class WatchedFile<T> implements Supplier<T> {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedFile.class);
    private static final long NANOS_BETWEEN_LOOKS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST = 1 << 20;

    private final Path file;
    private final Function<String, T> parser;
    private final Clock clock;
    private volatile T current;
    private String text;
    private volatile long lookedAt;
    private String problem = "";

    /**
     * Reads the file.
     *
     * @param parser throws an IllegalArgumentException for a wrong text, without its content if that is secret
     * @throws IllegalArgumentException if the file cannot be read or is wrong
     */
    public WatchedFile(Path file, Function<String, T> parser, Clock clock) {
        this.file = file;
        this.parser = parser;
        this.clock = clock;
        load(read());
        lookedAt = clock.nanos();
    }

    private String read() {
        try {
            if (Files.size(file) > LONGEST) {
                throw new IllegalArgumentException("The file " + file + " is longer than 1 MB");
            }
            return Files.readString(file);
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
            throw new IllegalArgumentException("The file " + file + " is wrong: " + e.getMessage());
        }
    }

    @Override
    public T get() {
        if (clock.nanos() - lookedAt >= NANOS_BETWEEN_LOOKS) {
            look();
        }
        return current;
    }

    private synchronized void look() {
        if (clock.nanos() - lookedAt < NANOS_BETWEEN_LOOKS) {
            return;
        }
        lookedAt = clock.nanos();
        try {
            String newText = read();
            if (!newText.equals(text)) {
                load(newText);
                LOG.info("Loaded the changed file {}", file);
            }
            problem = "";
        } catch (IllegalArgumentException e) {
            if (!e.getMessage().equals(problem)) {
                problem = e.getMessage();
                LOG.warn("{}. Its last version stays in use. Correct the file", problem);
            }
        }
    }
}
