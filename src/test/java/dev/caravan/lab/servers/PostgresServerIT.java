package dev.caravan.lab.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.database.Database;
import dev.caravan.database.Sql;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PostgresServerIT {
    /** A superuser runs programs as the user who has started the server. */
    @Test
    void another_user_of_the_machine_gets_no_login_and_cannot_exchange_the_programs() throws Exception {
        try (var server = PostgresServer.startUntilClosed()) {
            for (String guess : List.of("postgres", "")) {
                assertThatThrownBy(() -> Database.unpooled(server.url("postgres"), "postgres", guess)
                                .getConnection())
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("password");
            }
            try (Connection connection = server.dataSource("postgres").getConnection()) {
                assertThat(texts(connection, "select distinct auth_method from pg_hba_file_rules"))
                        .containsExactly("scram-sha-256");
                Path programs = Path.of(texts(connection, "select setting from pg_config where name = 'BINDIR'")
                        .get(0));
                Path closed = programs.getParent().getParent().getParent();
                assertThat(closed).hasFileName("postgres-programs");
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(closed)))
                        .isEqualTo("rwx------");
            }
        }
    }

    @Test
    void a_user_who_cannot_write_into_the_build_unpacks_the_programs_elsewhere(@TempDir Path folder) throws Exception {
        Path home = folder.resolve("home");
        Path build = Files.createFile(folder.resolve("classes")).resolve("programs");

        assertThat(InitializedData.closedFolder(build, home)).isEqualTo(home);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home)))
                .isEqualTo("rwx------");
    }

    private static List<String> texts(Connection connection, String query) throws SQLException {
        return Sql.rows(connection, query, row -> row.getString(1));
    }
}
