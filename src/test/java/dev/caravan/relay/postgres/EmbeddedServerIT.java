package dev.caravan.relay.postgres;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.settings.Settings;
import dev.caravan.cli.CommandRun;
import dev.caravan.database.Database;
import dev.caravan.database.EmbeddedFolder;
import dev.caravan.database.Sql;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real server, with the programs of the demo, which a class loader finds in a jar as those of the folder lib. */
class EmbeddedServerIT {
    @TempDir
    private static Path parent;

    private static Path folder;
    private static Settings settings;
    private static EmbeddedServer server;

    @BeforeAll
    static void start() throws Exception {
        folder = ServerFolders.create(parent, "db");
        settings = ServerFolders.settings("embedded:" + folder);
        startAgain();
    }

    private static void startAgain() throws SQLException {
        server = EmbeddedServer.of(settings).orElseThrow();
        server.start();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static String text(String sql) throws SQLException {
        try (var connection = Database.forMigrations(settings).getConnection()) {
            return Sql.text(sql).query(connection, row -> row.getString(1)).get(0);
        }
    }

    @Test
    void sessions_of_the_settings_have_a_role_that_owns_its_database_and_is_no_superuser() throws Exception {
        assertThat(text("select current_user || ' ' || current_database() || ' ' || rolsuper from pg_roles"
                        + " where rolname = current_user"))
                .isEqualTo("caravan caravan false");
        assertThat(text("select pg_get_userbyid(datdba) from pg_database where datname = 'caravan'"))
                .isEqualTo("caravan");
    }

    @Test
    void it_keeps_what_is_committed_and_listens_on_this_machine_only() throws Exception {
        assertThat(List.of(
                        text("show fsync"),
                        text("show data_checksums"),
                        text("show server_encoding"),
                        text("show listen_addresses"),
                        text("show log_timezone")))
                .containsExactly("on", "on", "UTF8", "127.0.0.1", "UTC");
        assertThat(text("show unix_socket_directories")).isEmpty();
    }

    @Test
    void only_the_owner_may_read_its_files_and_another_password_is_refused() throws Exception {
        assertThat(permissions("connection")).isEqualTo("rw-------");
        assertThat(permissions("data")).isEqualTo("rwx------");
        assertThat(permissions("log")).isEqualTo("rwx------");
        int port = embedded().running().orElseThrow().port();
        assertThatThrownBy(
                        () -> Database.unpooled("jdbc:postgresql://127.0.0.1:" + port + "/caravan", "caravan", "wrong")
                                .getConnection())
                .hasMessageContaining("password authentication failed");
    }

    private static String permissions(String name) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(name)));
    }

    private static EmbeddedFolder embedded() {
        return EmbeddedFolder.of(settings).orElseThrow();
    }

    @Test
    void the_file_connection_is_a_uri_of_libpq() throws Exception {
        String uri = Files.readString(folder.resolve("connection")).strip();

        assertThat(uri)
                .matches("postgresql://caravan:[0-9a-f]{48}@127\\.0\\.0\\.1:"
                        + embedded().running().orElseThrow().port() + "/caravan");
    }

    @Test
    void a_second_relay_on_the_folder_is_refused() {
        try (var second = EmbeddedServer.of(settings).orElseThrow()) {
            assertThatThrownBy(second::start)
                    .isInstanceOf(EmbeddedServerException.class)
                    .hasMessageContainingAll(folder.toString(), "another relay uses this folder");
        }
    }

    @Test
    void it_is_started_again_when_it_ends_by_itself() throws Exception {
        long killed = embedded().running().orElseThrow().pid();

        ProcessHandle.of(killed).orElseThrow().destroyForcibly();

        eventually(() -> assertThat(embedded().running())
                .hasValueSatisfying(
                        now -> assertThat(now.pid() != killed && now.isReady()).isTrue()));
        eventually(() -> assertThat(failure()).isNull());
    }

    @Test
    void a_copy_of_its_folder_has_no_server_that_could_be_stopped() throws Exception {
        Path copy = Files.createDirectories(parent.resolve("copy/data"));
        Files.copy(embedded().processFile(), copy.resolve("postmaster.pid"));

        assertThat(EmbeddedFolder.of(ServerFolders.settings("embedded:" + copy.getParent()))
                        .orElseThrow()
                        .running())
                .isEmpty();
    }

    @Test
    void a_process_that_has_got_the_number_of_a_dead_server_does_not_prevent_its_start() throws Exception {
        List<String> file = Files.readAllLines(embedded().processFile());
        server.close();
        Process other = ServerUser.of(folder).start(List.of("sleep", "60"));
        try {
            file.set(0, Long.toString(other.pid()));
            ServerUser.of(folder).write(embedded().processFile(), String.join("\n", file) + "\n");
            eventually(() -> assertThat(Files.getOwner(Path.of("/proc", Long.toString(other.pid()))))
                    .isEqualTo(Files.getOwner(folder))); // Postgres takes no notice of processes of other users

            startAgain();

            assertThat(failure()).isNull();
        } finally {
            other.destroyForcibly();
        }
    }

    private static String failure() {
        try {
            text("select 1");
            return null;
        } catch (SQLException e) {
            return e.getMessage();
        }
    }

    @Test
    void commands_find_it_and_say_when_it_does_not_run_and_its_data_and_its_port_stay() throws Exception {
        Path config = parent.resolve("stopped.properties");
        Files.writeString(config, "caravan.db.url=embedded:" + folder + "\n");
        int port = embedded().running().orElseThrow().port();
        try (var connection = Database.forMigrations(settings).getConnection()) {
            Sql.execute(connection, "create table public.kept (id int)");
        }

        server.close();

        CommandRun stopped = CommandRun.of("status", "--config", config.toString());
        assertThat(stopped.exit()).isEqualTo(1);
        assertThat(stopped.err()).contains("no Postgres runs in " + folder, "./caravan run");
        startAgain();
        assertThat(embedded().running().orElseThrow().port()).isEqualTo(port);
        assertThat(text("select count(*) from public.kept")).isEqualTo("0");
        assertThat(CommandRun.of("status", "--config", config.toString()).err())
                .contains(
                        "relation \"outbox_subscription\" does not exist"); // of this database: the tables are missing
    }
}
