package dev.caravan.relay.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerLogTest {
    private static final String PREFIX = "2026-01-01 00:00:00.000 UTC [1] ";

    @TempDir
    private Path folder;

    private void write(String file, String... lines) throws IOException {
        Files.writeString(
                folder.resolve("server-" + file + ".log"),
                String.join("\n", lines) + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    @Test
    void serious_lines_are_new_ones_once_and_in_order_also_over_two_files() throws IOException {
        var log = new ServerLog(folder);
        write("20260101-000000", PREFIX + "PANIC:  old");
        log.skip();
        write("20260101-000000", PREFIX + "LOG:  usual", PREFIX + "FATAL:  one");
        assertThat(log.serious()).containsExactly(PREFIX + "FATAL:  one");

        write("20260101-000000", PREFIX + "PANIC:  two");
        write("20260101-000001", PREFIX + "LOG:  server process (PID 7) was terminated by signal 9: Killed");

        assertThat(log.serious())
                .containsExactly(
                        PREFIX + "PANIC:  two",
                        PREFIX + "LOG:  server process (PID 7) was terminated by signal 9: Killed");
        assertThat(log.serious()).isEmpty();
    }

    @Test
    void what_each_start_and_stop_writes_and_errors_of_statements_are_not_serious() throws IOException {
        var log = new ServerLog(folder);
        log.skip();
        write(
                "20260101-000000",
                PREFIX + "FATAL:  the database system is starting up",
                PREFIX + "FATAL:  terminating connection due to administrator command",
                PREFIX + "FATAL:  terminating background worker \"x\" due to administrator command",
                PREFIX + "ERROR:  division by zero",
                PREFIX + "ERROR:  could not extend file \"base/1\": No space left on device");

        assertThat(log.serious()).singleElement().asString().endsWith("No space left on device");
    }

    @Test
    void a_line_is_read_when_it_is_complete() throws IOException {
        var log = new ServerLog(folder);
        log.skip();
        Path file = folder.resolve("server-20260101-000000.log");
        Files.writeString(file, PREFIX + "FATAL:  ha");
        assertThat(log.serious()).isEmpty();

        Files.writeString(file, "lf\n", StandardOpenOption.APPEND);

        assertThat(log.serious()).containsExactly(PREFIX + "FATAL:  half");
    }

    @Test
    void last_lines_may_have_bytes_of_any_encoding() throws IOException {
        Files.write(folder.resolve("server-20260101-000000.log"), new byte[] {'a', (byte) 0xFC, '\n', 'b', '\n'});

        assertThat(new ServerLog(folder).last()).endsWith("b");
    }

    @Test
    void last_lines_have_the_reason_and_not_the_sessions_that_waited() throws IOException {
        write("20260101-000000", PREFIX + "FATAL:  could not write");
        for (int session = 0; session < 50; session++) {
            write("20260101-000000", PREFIX + "FATAL:  the database system is starting up");
        }

        assertThat(new ServerLog(folder).last()).endsWith("could not write");
    }

    @Test
    void the_newest_files_stay() throws IOException {
        for (int second = 0; second < 9; second++) {
            write("20260101-00000" + second, "x");
        }
        Files.writeString(folder.resolve("notes"), "");

        new ServerLog(folder).prune(new ServerUser(folder, List.of()));

        try (var files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            "notes",
                            "server-20260101-000004.log",
                            "server-20260101-000005.log",
                            "server-20260101-000006.log",
                            "server-20260101-000007.log",
                            "server-20260101-000008.log");
        }
    }
}
