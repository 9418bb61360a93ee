package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.ShortLived;
import dev.caravan.camel.outbox.TestOutbox;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.camel.util.function.ThrowingSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class WatchIT {
    private static final Duration PAUSE = Duration.ofSeconds(2);

    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void without_a_terminal_each_refresh_is_appended() throws Exception {
        watch(false, 3).run(PAUSE, looks("one\ntwo", "three", "four"));

        assertThat(out.toString()).isEqualTo("one\ntwo\nthree\nfour\n");
    }

    @Test
    void on_a_terminal_each_refresh_replaces_the_last_one() throws Exception {
        watch(true, 2).run(PAUSE, looks("one\ntwo", "three"));

        assertThat(out.toString())
                .isEqualTo("\u001b[2J\u001b[Hone\u001b[K\ntwo\u001b[K\n\u001b[J\u001b[Hthree\u001b[K\n\u001b[J");
    }

    @Test
    void a_database_that_becomes_unavailable_is_reported_and_tried_again() throws Exception {
        Iterator<String> looks = List.of("one", "", "three").iterator();

        watch(false, 3).run(PAUSE, () -> {
            String text = looks.next();
            if (text.isEmpty()) {
                throw new SQLException("the connection was closed", "08006");
            }
            return text;
        });

        assertThat(out.toString()).isEqualTo("one\nthree\n");
        assertThat(err.toString()).contains("Could not connect to the database: the connection was closed.");
    }

    @Test
    void a_first_refresh_that_fails_ends_it() {
        assertThatThrownBy(() -> watch(false, 3).run(PAUSE, () -> {
                    throw new SQLException("refused", "28000");
                }))
                .isInstanceOf(SQLException.class);
    }

    @Test
    void an_interval_without_watch_or_out_of_range_is_wrong_use() throws Exception {
        String config = CommandRun.config(folder, TestOutbox.withoutTables());

        assertThat(CommandRun.of("status", "--interval", "5", "--config", config)
                        .err())
                .contains("--interval needs --watch.");
        assertThat(CommandRun.of("status", "--watch", "--interval", "0", "--config", config)
                        .err())
                .contains("--interval must be between 1 and 3600 seconds, got 0.");
    }

    @Test
    @Tag("long")
    @Timeout(180)
    void a_real_one_prints_a_json_document_a_line_until_it_is_stopped_and_ends_with_0() throws Exception {
        TestOutbox database = TestOutbox.create();
        database.execute("insert into outbox_subscription (name, position) values ('sms', 0)");
        Process watching = new ProcessBuilder(ShortLived.java(
                        List.of(),
                        Caravan.class,
                        "status",
                        "--watch",
                        "--interval",
                        "1",
                        "--output",
                        "json",
                        "--config",
                        CommandRun.config(folder, database)))
                .redirectErrorStream(true)
                .start();
        try {
            var lines = new BufferedReader(new InputStreamReader(watching.getInputStream(), StandardCharsets.UTF_8));
            for (int look = 0; look < 2; look++) {
                var status = new ObjectMapper().readTree(lines.readLine());
                assertThat(status.get(0).get("subscription").asText()).isEqualTo("sms");
                assertThat(status.get(0).at("/deadLetters/atLeast").asLong()).isZero();
            }

            watching.destroy(); // SIGTERM: Ctrl-C comes the same way, but is ignored where tests run in the background

            assertThat(watching.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(watching.exitValue()).isZero();
        } finally {
            watching.destroyForcibly();
        }
    }

    private Watch watch(boolean redrawn, int looks) {
        int[] left = {looks};
        return new Watch(new PrintWriter(out), new PrintWriter(err), redrawn, new Watch.Timer() {
            @Override
            public void begin() {
                left[0]--;
            }

            @Override
            public boolean await(Duration pause) {
                assertThat(pause).isEqualTo(PAUSE);
                return left[0]-- > 0;
            }
        });
    }

    private static ThrowingSupplier<String, SQLException> looks(String... texts) {
        return List.of(texts).iterator()::next;
    }
}
