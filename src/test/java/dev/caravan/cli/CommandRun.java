package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.relay.Running;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/** What a command printed and how it ended. */
public record CommandRun(int exit, String out, String err) {
    public static CommandRun of(String... args) {
        return of((settings, beforeRoutes) -> new NoRelay(), args);
    }

    /** @param first the first words of the command, before the others */
    static CommandRun of(List<String> first, String... others) {
        return of(Stream.concat(first.stream(), Arrays.stream(others)).toArray(String[]::new));
    }

    static CommandRun of(RelayStart relayStart, String... args) {
        return of(relayStart, Map.of("CARAVAN_CONFIG", "/none"), args); // not the contexts of who runs the tests
    }

    /** @param environment the environment variables for contexts */
    public static CommandRun of(Map<String, String> environment, String... args) {
        return of(RelayStart.REAL, environment, args);
    }

    private static CommandRun of(RelayStart relayStart, Map<String, String> environment, String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        Level level = root.getLevel();
        try {
            int exit = Caravan.commandLine(relayStart, environment, args)
                    .setOut(new PrintWriter(out, true))
                    .setErr(new PrintWriter(err, true))
                    .execute(args);
            return new CommandRun(exit, out.toString(), err.toString());
        } finally {
            root.setLevel(level); // --verbose changes it for the rest of the process
        }
    }

    /** What it printed with {@code --output json}. */
    JsonNode json() throws JsonProcessingException {
        return new ObjectMapper().readTree(out);
    }

    /** Exit code 0, and these texts in what it printed. */
    CommandRun assertDone(String... texts) {
        return assertEnded(0, texts);
    }

    /** This exit code, and these texts in what it printed. */
    CommandRun assertEnded(int code, String... texts) {
        return assertEnded(code, out, texts);
    }

    /** Exit code 1, and these texts in its errors. */
    CommandRun assertFailed(String... texts) {
        return assertEnded(1, err, texts);
    }

    /** Exit code 2, and these texts in its errors. */
    CommandRun assertWrongUse(String... texts) {
        return assertEnded(2, err, texts);
    }

    private CommandRun assertEnded(int code, String written, String... texts) {
        assertThat(exit).as("%s%s", out, err).isEqualTo(code);
        assertThat(texts).allSatisfy(text -> assertThat(written).contains(text));
        return this;
    }

    /** A settings file for a database of the test server, followed by more lines. */
    static String config(Path folder, TestOutbox database, String... lines) throws IOException {
        return config(folder, database.url(), "postgres", lines);
    }

    static String config(Path folder, String url, String user, String... lines) throws IOException {
        Path file = folder.resolve("test.properties");
        Files.writeString(
                file,
                "caravan.db.url=" + url + "\ncaravan.db.user=" + user + "\ncaravan.db.password=postgres\n"
                        + String.join("\n", lines) + "\n");
        return file.toString();
    }

    /** A relay that ends at once. */
    private static final class NoRelay implements Running {
        @Override
        public void close() {
            // nothing runs
        }

        @Override
        public void awaitEnd() {
            // ended already
        }
    }
}
