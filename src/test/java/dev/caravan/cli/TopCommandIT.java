package dev.caravan.cli;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.ShortLived;
import dev.caravan.camel.outbox.TestOutbox;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class TopCommandIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    @Test
    void an_interval_out_of_range_is_wrong_use() throws Exception {
        String config = CommandRun.config(folder, TestOutbox.withoutTables());

        CommandRun.of("top", "--interval", "3601", "--config", config)
                .assertWrongUse("--interval must be between 1 and 3600 seconds, got 3601.");
    }

    @Test
    void without_tables_it_names_the_command_that_creates_them() throws Exception {
        CommandRun.of("top", "--config", CommandRun.config(folder, TestOutbox.withoutTables()))
                .assertFailed("./caravan schema apply");
    }

    @Test
    @Tag("long")
    void a_document_a_line_has_the_rate_since_the_line_before_and_sigterm_ends_it_with_0() throws Exception {
        TestOutbox database = databaseWithTwo();
        Process top = new ProcessBuilder(top(database, false, "--output", "json")).start();
        try {
            var lines = new BufferedReader(new InputStreamReader(top.getInputStream(), StandardCharsets.UTF_8));
            JsonNode first = new ObjectMapper().readTree(lines.readLine());
            assertThat(first.findValuesAsText("subscription")).startsWith("late", "caught-up");
            assertThat(first.get(0).get("lagSeconds").asDouble()).isGreaterThan(3_600);
            assertThat(first.get(0).get("ratePerSecond").isNull()).isTrue();

            database.execute(
                    "update outbox_subscription set delivered = delivered + 1000, position = 5 where name = 'late'");

            eventually(LIMIT, () -> {
                JsonNode late = new ObjectMapper().readTree(lines.readLine()).get(0);
                assertThat(late.get("ratePerSecond").asDouble()).isGreaterThan(10);
                assertThat(late.get("secondsToDrain").asDouble()).isPositive();
                assertThat(late.get("delivered").asLong()).isEqualTo(1_000);
            });
            top.destroy();
            assertThat(top.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(top.exitValue()).isZero();
        } finally {
            top.destroyForcibly();
        }
    }

    @Test
    void without_a_terminal_tables_are_appended_with_the_one_that_lags_most_first() throws Exception {
        Process top = new ProcessBuilder(top(databaseWithTwo(), false)).start();
        try {
            var lines = new BufferedReader(new InputStreamReader(top.getInputStream(), StandardCharsets.UTF_8));

            assertThat(nextTable(lines))
                    .satisfiesExactly(
                            title -> assertThat(title)
                                    .isEqualTo(
                                            "SUBSCRIPTION LAG BACKLOG RATE DRAINED IN IN FLIGHT LATENCY WAITING DEAD STATE"),
                            late -> assertThat(late).matches("late 1h( \\dm)? <= 9 - - - - 0 0 paused"),
                            other -> assertThat(other).isEqualTo("caught-up 0s 0 - - 3 12ms 0 0 running"));
            assertThat(nextTable(lines).get(2)).isEqualTo("caught-up 0s 0 0.0/s - 3 12ms 0 0 running");
        } finally {
            top.destroyForcibly();
        }
    }

    /** {@code script} runs a command on a terminal of its own. */
    @Test
    @Tag("long")
    void on_a_terminal_the_key_q_ends_it_with_0_and_leaves_the_terminal_as_it_was() throws Exception {
        assumeTrue(isLinuxWithScript(), "needs script of util-linux");
        Path run = Files.writeString(
                folder.resolve("run.sh"),
                String.join(" ", quoted(top(databaseWithTwo(), true))) + "; echo ended with $?; stty -a");
        Process terminal = new ProcessBuilder("script", "-qec", "sh " + run, "/dev/null")
                .redirectErrorStream(true)
                .start();
        try {
            var screen = new StringBuffer();
            Thread reader = new Thread(() -> copy(terminal, screen));
            reader.start();
            eventually(LIMIT, () -> assertThat(screen.toString().split("late ")).hasSizeGreaterThan(2));
            assertThat(screen.toString()).startsWith("\u001b[2J\u001b[H").doesNotContain("ended");

            terminal.getOutputStream().write('q');
            terminal.getOutputStream().flush();

            reader.join(LIMIT.toMillis());
            String after = screen.substring(screen.indexOf("ended with"));
            assertThat(after).startsWith("ended with 0").contains(" icanon ", " echo ");
        } finally {
            terminal.destroyForcibly();
        }
    }

    private static boolean isLinuxWithScript() {
        return Files.isExecutable(Path.of("/usr/bin/script"))
                && System.getProperty("os.name").equals("Linux");
    }

    private static void copy(Process terminal, StringBuffer screen) {
        try (var output = new InputStreamReader(terminal.getInputStream(), StandardCharsets.UTF_8)) {
            for (int character = output.read(); character >= 0; character = output.read()) {
                screen.append((char) character);
            }
        } catch (IOException e) {
            screen.append(e);
        }
    }

    private static List<String> quoted(List<String> command) {
        return command.stream().map(word -> "'" + word + "'").toList();
    }

    /** The lines of the next look, without the time above and the empty line below. */
    private static List<String> nextTable(BufferedReader lines) throws IOException {
        List<String> table = new ArrayList<>();
        lines.readLine();
        for (String line = lines.readLine(); !line.isEmpty(); line = lines.readLine()) {
            table.add(line.replaceAll(" +", " "));
        }
        return table;
    }

    private List<String> top(TestOutbox database, boolean terminal, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(ShortLived.java(
                List.of("-Dcaravan.output.terminal=" + terminal),
                Caravan.class,
                "top",
                "--interval",
                "1",
                "--config",
                CommandRun.config(folder, database)));
        command.addAll(List.of(arguments));
        return command;
    }

    private static TestOutbox databaseWithTwo() throws Exception {
        TestOutbox database = TestOutbox.create();
        database.insert(10);
        database.execute("update outbox set created_at = clock_timestamp() - interval '1 hour';"
                + " insert into outbox_subscription (name, position, paused) values ('late', 1, true);"
                + " insert into outbox_subscription (name, position, owner, lease_until, in_flight, latency_millis)"
                + " values ('caught-up', 10, 'relay-1', clock_timestamp() + interval '1 hour', 3, 12)");
        return database;
    }
}
