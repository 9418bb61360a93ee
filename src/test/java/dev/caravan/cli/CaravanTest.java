package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import dev.caravan.relay.RelayStartException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CaravanTest {
    @TempDir
    Path folder;

    @Test
    void help_names_every_command_and_the_exit_codes() {
        CommandRun.of("--help").assertDone("run", "schema", "check", "publish", "status", "usage error or invalid");
    }

    @Test
    void the_help_of_a_replay_explains_the_idempotent_consumer() {
        assertThat(CommandRun.of("subscriptions", "replay", "--help").out().replaceAll("\\s+", " "))
                .contains("--forget", "idempotentConsumer", "outbox_idempotent");
    }

    @Test
    void the_help_of_every_command_is_printed_without_a_warning() {
        var printed = new java.io.ByteArrayOutputStream();
        var before = System.err;
        System.setErr(new java.io.PrintStream(printed, true));
        try {
            helpOf(Caravan.commandLine(RelayStart.REAL));
        } finally {
            System.setErr(before);
        }
        assertThat(printed.toString()).doesNotContain("picocli");
    }

    @Test
    void the_line_of_each_command_in_a_list_is_whole_sentences() {
        List<String> cut = new ArrayList<>();
        collectCut(Caravan.commandLine(RelayStart.REAL), cut);
        assertThat(cut).isEmpty();
    }

    /** A list shows the header of a command, or else the first line of its description. */
    private static void collectCut(picocli.CommandLine command, List<String> cut) {
        var usage = command.getCommandSpec().usageMessage();
        String line = usage.header().length > 0 ? usage.header()[0] : usage.description()[0];
        if (!line.endsWith(".")) {
            cut.add(command.getCommandSpec().qualifiedName() + ": " + line);
        }
        command.getSubcommands().values().forEach(sub -> collectCut(sub, cut));
    }

    private static void helpOf(picocli.CommandLine command) {
        assertThat(command.getUsageMessage()).isNotBlank();
        command.getSubcommands().values().forEach(CaravanTest::helpOf);
    }

    @Test
    void version_names_caravan_camel_and_java() {
        assertThat(CommandRun.of("--version").out()).startsWith("Caravan ").contains("Camel 4.", "Java ");
    }

    @Test
    void a_mistyped_command_is_wrong_use_and_the_nearest_is_named() {
        CommandRun.of("statsu").assertWrongUse("statsu", "caravan status");
    }

    @Test
    void a_mistyped_option_is_wrong_use_and_the_nearest_is_named() {
        CommandRun.of("publish", "--skip-bat").assertWrongUse("--skip-bat", "--skip-bad");
    }

    @Test
    void no_command_is_wrong_use() {
        CommandRun.of().assertWrongUse();
        CommandRun.of("schema").assertWrongUse();
    }

    @Test
    void a_missing_settings_file_is_wrong_use() {
        CommandRun.of("status", "--config", "no-such.properties").assertWrongUse("no-such.properties", "--config");
    }

    @Test
    void a_wrong_value_is_wrong_use_and_shows_no_stack_trace() throws IOException {
        String config = CommandRun.config(folder, "mysql://somewhere", "me");

        assertThat(CommandRun.of("status", "--config", config)
                        .assertWrongUse("caravan.db.url must be a JDBC URL")
                        .err())
                .doesNotContain("\tat ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"me:secret@localhost:1/outbox", "me%3Asecret%40localhost:1/outbox"})
    void a_user_and_a_password_before_the_host_are_refused_and_not_printed(String url) throws IOException {
        String config = CommandRun.config(folder, "jdbc:postgresql://" + url, "me");

        assertThat(CommandRun.of("status", "--verbose", "--config", config)
                        .assertWrongUse("caravan.db.url must not contain a user")
                        .err())
                .doesNotContain("secret");
    }

    @Test
    void a_verbose_log_has_no_value_of_a_setting() throws IOException {
        System.setProperty("caravan.test.secret", "secret-value");
        try (WrittenLog log = WrittenLog.of(org.slf4j.Logger.ROOT_LOGGER_NAME)) {
            String config = CommandRun.config(
                    folder,
                    "jdbc:postgresql://localhost:1/outbox",
                    "me",
                    "partner.secrets={{sys:caravan.test.secret}}");

            CommandRun.of("status", "--verbose", "--config", config);

            assertThat(log.lines()).noneMatch(line -> line.contains("secret-value"));
        } finally {
            System.clearProperty("caravan.test.secret");
        }
    }

    /** The relay has said the reason without them. */
    @Test
    void a_verbose_trace_of_a_start_has_no_texts_of_causes() throws IOException {
        Files.writeString(
                Files.createDirectory(folder.resolve("routes")).resolve("a.camel.yaml"),
                "- route: {id: a, from: {uri: 'outbox:a', steps: [{to: {uri: 'http://localhost:1/a'}}]}}");
        String config = CommandRun.config(
                folder, "jdbc:postgresql://localhost:1/outbox", "me", "caravan.routes=" + folder.resolve("routes"));
        var cause = new IllegalArgumentException("puma\n\tpuma", new IOException("puma"));
        cause.addSuppressed(new IllegalStateException("puma", new IOException("puma")));
        RelayStart failing = (settings, beforeRoutes) -> {
            throw (RelayStartException) new RelayStartException("Could not start").initCause(cause);
        };

        String trace = CommandRun.of(failing, "run", "--verbose", "--config", config)
                .assertWrongUse(
                        "Could not start",
                        "Caused by: java.lang.IllegalArgumentException\n\tat ",
                        "\tSuppressed: java.lang.IllegalStateException\n\t\tat ",
                        "\tCaused by: java.io.IOException",
                        "\nCaused by: java.io.IOException")
                .err();
        assertThat(trace).doesNotContain("puma");
    }

    @Test
    void an_unavailable_database_fails_with_its_address_and_no_stack_trace() throws IOException {
        String config = CommandRun.config(folder, "jdbc:postgresql://localhost:1/outbox", "me");

        assertThat(CommandRun.of("status", "--config", config)
                        .assertFailed("Could not connect to the database", "localhost:1")
                        .err())
                .doesNotContain("\tat ");
    }
}
