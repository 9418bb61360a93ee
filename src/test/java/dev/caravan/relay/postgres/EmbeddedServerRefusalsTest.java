package dev.caravan.relay.postgres;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.settings.SettingsException;
import dev.caravan.database.EmbeddedFolder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With programs that only pretend to be Postgres. */
class EmbeddedServerRefusalsTest {
    private static final String INITDB = """
            for option; do case $option in --pgdata=*) data=${option#--pgdata=};; esac; done
            mkdir "$data" && echo 18 > "$data/PG_VERSION"
            """;

    @TempDir
    private Path parent;

    private Path folder;
    private Path bin;

    @BeforeEach
    void createFolders() throws IOException {
        folder = ServerFolders.create(parent, "db");
        bin = Files.createDirectory(parent.resolve("bin"));
        Files.setPosixFilePermissions(bin, PosixFilePermissions.fromString("rwxr-xr-x"));
        program("initdb", INITDB);
        program("pg_ctl", "exit 1");
        program(
                "postgres",
                "case $* in --version) echo 'postgres (PostgreSQL) 18.6';; *) echo 'it cannot run'; exit 7;; esac");
    }

    private void program(String name, String script) throws IOException {
        Path file = bin.resolve(name);
        Files.writeString(file, "#!/bin/sh\n" + script);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private EmbeddedServer server(String options) {
        return EmbeddedServer.of(ServerFolders.settings("embedded:" + folder + "?bin=" + bin + options))
                .orElseThrow();
    }

    private void start(String options) throws SQLException {
        EmbeddedServer server = server(options);
        try {
            server.start();
        } finally {
            server.close();
        }
    }

    private void refused(Class<? extends Exception> type, String... texts) {
        assertThatThrownBy(() -> start("")).isInstanceOf(type).hasMessageContainingAll(texts);
    }

    @Test
    void a_folder_with_other_files_is_refused_and_stays_as_it_is() throws IOException {
        Files.writeString(folder.resolve("accounts.xls"), "");

        refused(SettingsException.class, folder.toString(), "not empty", "accounts.xls", "Nothing was started");

        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(folder.resolve("accounts.xls"));
        }
    }

    @Test
    void a_folder_whose_data_has_disappeared_is_refused() throws IOException {
        Files.writeString(folder.resolve("connection"), "postgresql://caravan:x1@127.0.0.1:5433/caravan\n");

        refused(SettingsException.class, folder.resolve("data").toString(), "is missing", "messages would be lost");
    }

    @Test
    void data_without_its_password_is_refused() throws IOException {
        Files.createDirectory(folder.resolve("data"));

        refused(SettingsException.class, folder.resolve("connection").toString(), "password");
    }

    @Test
    void data_of_another_major_version_is_refused_with_the_steps() throws IOException {
        Files.createDirectory(folder.resolve("data"));
        Files.writeString(folder.resolve("data/PG_VERSION"), "15\n");
        Files.writeString(folder.resolve("connection"), "postgresql://caravan:x1@127.0.0.1:5433/caravan\n");

        refused(SettingsException.class, "was written by Postgres 15", "18 in " + bin, "pg_dump", "docs/operations.md");
    }

    @Test
    void programs_that_are_missing_or_too_old_are_refused() throws IOException {
        program("postgres", "echo 'postgres (PostgreSQL) 13.9'");
        refused(SettingsException.class, bin.toString(), "14 or later");

        Files.delete(bin.resolve("initdb"));
        refused(SettingsException.class, bin.toString(), "initdb");
    }

    @Test
    void what_initdb_prints_last_is_shown_and_the_next_start_begins_anew() throws Exception {
        program("initdb", INITDB + "echo 'initdb: error: No space left on device' >&2; exit 1");
        refused(EmbeddedServerException.class, "initdb failed", "No space left on device");
        assertThat(folder.resolve("data")).doesNotExist();

        program("initdb", INITDB);
        refused(EmbeddedServerException.class, "it cannot run");
        assertThat(folder.resolve("data")).exists();
    }

    @Test
    void initdb_of_a_relay_that_was_killed_cannot_remove_the_data_of_the_next_one() throws Exception {
        program("initdb", INITDB + "echo \"writes $data\"; exit 1"); // as if it were killed: the folder stays
        refused(EmbeddedServerException.class, "writes " + folder.resolve("initdb-"));
        Path left;
        try (var files = Files.list(folder)) {
            left = files.filter(file -> file.getFileName().toString().startsWith("initdb-"))
                    .findFirst()
                    .orElseThrow();
        }

        program("initdb", INITDB + "[ \"$data\" != \"" + left + "\" ]");
        refused(EmbeddedServerException.class, "it cannot run");

        assertThat(left).doesNotExist();
        assertThat(folder.resolve("data")).exists();
    }

    @Test
    void what_a_server_prints_that_does_not_start_is_shown() {
        refused(EmbeddedServerException.class, "ended with status 7", "it cannot run", "Nothing was started");
    }

    @Test
    void variables_of_the_relay_do_not_reach_the_server() throws IOException {
        assertThat(System.getenv("HOME")).as("a variable of the tests").isNotEmpty();
        program(
                "postgres",
                "case $* in --version) echo 'postgres (PostgreSQL) 18.6';; *) echo \"it has [$HOME]\"; exit 7;; esac");

        refused(EmbeddedServerException.class, "it has []");
    }

    @Test
    void a_folder_to_which_everybody_may_write_is_refused() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));

        refused(SettingsException.class, "every user", "chmod 700 " + folder);
    }

    @Test
    void data_that_was_complete_when_the_relay_died_is_used() throws Exception {
        leaveCompleteData();

        refused(EmbeddedServerException.class, "it cannot run");

        assertThat(folder.resolve("data/PG_VERSION")).hasContent("18");
        assertThat(folder.resolve("data/kept")).exists();
    }

    @Test
    void data_and_password_that_a_volume_has_opened_to_a_group_are_closed_again() throws Exception {
        leaveCompleteData();
        refused(EmbeddedServerException.class, "it cannot run");
        Path data = folder.resolve("data");
        Path connection = ServerFolders.give(folder.resolve("connection"));
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxrwx---"));
        Files.setPosixFilePermissions(connection, PosixFilePermissions.fromString("rw-rw----"));

        refused(EmbeddedServerException.class, "it cannot run");

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)))
                .isEqualTo("rwxr-x---");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(connection)))
                .isEqualTo("rw-------");
    }

    /** As a relay leaves it that dies between the password and the name of the data. */
    private void leaveCompleteData() throws IOException {
        Path created = ServerFolders.give(Files.createDirectory(folder.resolve("data.new")));
        Files.writeString(created.resolve("PG_VERSION"), "18\n");
        Files.writeString(created.resolve("kept"), "");
        Files.writeString(folder.resolve("connection"), "postgresql://caravan:x1@127.0.0.1:5433/caravan\n");
    }

    @Test
    void a_port_that_is_given_and_in_use_is_refused() throws Exception {
        try (var other = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            assertThatThrownBy(() -> start("&port=" + other.getLocalPort()))
                    .isInstanceOf(EmbeddedServerException.class)
                    .hasMessageContainingAll(
                            "port " + other.getLocalPort() + " of 127.0.0.1", "Address already in use");
        }
    }

    @Test
    void a_server_that_has_just_been_started_is_stopped() throws Exception {
        program("postgres", """
                case $1 in --version) echo 'postgres (PostgreSQL) 18.6'; exit;; esac
                : > "$2/begun"
                sleep 1 # a stop comes before its process id is known
                printf '%s\\n' $$ "$2" 0 5433 '' '' '' starting > "$2/postmaster.pid"
                while :; do sleep 0.05; done
                """);
        program("pg_ctl", """
                data=${2#--pgdata=}
                kill $(head -n 1 "$data/postmaster.pid") && rm "$data/postmaster.pid"
                """);
        EmbeddedServer server = server("");
        CompletableFuture<Void> start = CompletableFuture.runAsync(() -> {
            try {
                server.start();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        eventually(() -> assertThat(folder.resolve("data/begun")).exists());

        server.close();

        assertThatThrownBy(start::get)
                .hasRootCauseInstanceOf(EmbeddedServerException.class)
                .hasMessageContaining("was stopped while it started");
        assertThat(folder.resolve("data/postmaster.pid")).doesNotExist();
    }

    @Test
    void a_process_that_has_got_the_number_of_a_dead_server_is_none() throws Exception {
        Path data = Files.createDirectory(folder.resolve("data"));
        Files.writeString(
                data.resolve("postmaster.pid"),
                ProcessHandle.current().pid() + "\n" + data + "\n0\n5433\n\n127.0.0.1\n\nready\n");

        assertThat(embedded().running()).isEmpty();
    }

    private EmbeddedFolder embedded() {
        return EmbeddedFolder.of(ServerFolders.settings("embedded:" + folder)).orElseThrow();
    }

    @Test
    void as_root_a_folder_of_root_and_one_that_does_not_exist_are_refused() throws Exception {
        Assumptions.assumeTrue(ServerUser.isRoot(), "the tests do not run as root");
        folder = Files.createDirectory(parent.resolve("of-root"));
        refused(SettingsException.class, "belongs to root", "chown");

        folder = parent.resolve("nowhere");
        refused(SettingsException.class, "Could not find the folder", "install -d -m 700 -o");
    }
}
