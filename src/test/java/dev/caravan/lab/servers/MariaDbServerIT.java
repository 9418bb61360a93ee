package dev.caravan.lab.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.TestMariaDb;
import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MariaDbServerIT {
    @ParameterizedTest
    @CsvSource({"root,", "mariadb, mariadb", "'',"})
    void another_user_of_the_machine_gets_no_login(String user, String password) {
        String url = TestMariaDb.server().url("mysql");

        assertThatThrownBy(() -> DriverManager.getConnection(url, user, password))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("Access denied");
    }

    private static final String ROCKET = "\ud83d\ude80";

    @Test
    void both_drivers_read_what_the_other_one_wrote() throws Exception {
        MariaDbServer server = TestMariaDb.server();
        String database = server.createDatabase();
        try (Connection mariadb = server.connect(database);
                Connection mysql =
                        DriverManager.getConnection(server.mysqlUrl(database), server.user(), server.password())) {
            Sql.execute(mariadb, "create table t(id int auto_increment primary key, v varchar(10))");
            Sql.execute(mariadb, "insert into t(v) values ('" + ROCKET + "')");
            Sql.execute(mysql, "insert into t(v) values ('" + ROCKET + "')");

            assertThat(mysql.getMetaData().getDriverName()).contains("MySQL");
            assertThat(values(mysql)).containsExactly(ROCKET, ROCKET);
            assertThat(values(mariadb)).containsExactly(ROCKET, ROCKET);
        }
        assertThatThrownBy(() -> DriverManager.getConnection(server.url(database), server.user(), "wrong"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("Access denied");
    }

    @Test
    @Tag("long")
    void a_killed_server_has_what_it_committed_and_nothing_else_when_it_is_started_again() throws Exception {
        try (MariaDbServer server = TestMariaDb.ownServer()) {
            String database = server.createDatabase();
            String url = server.url(database);
            try (Connection connection = server.connect(database)) {
                Sql.execute(connection, "create table t(v int)");
                Sql.execute(connection, "insert into t values (1)");
                connection.setAutoCommit(false);
                Sql.execute(connection, "insert into t values (2)");
                long pid = server.pid();

                server.kill();
                assertThat(ProcessHandle.of(pid)).isEmpty();
                assertThatThrownBy(() -> server.connect(database)).isInstanceOf(SQLException.class);
            } catch (SQLException e) {
                // the connection ended with the server
            }

            server.startAgain();
            assertThat(server.url(database)).isEqualTo(url);
            try (Connection connection = server.connect(database)) {
                assertThat(values(connection)).containsExactly("1");
            }
        }
    }

    private static List<String> values(Connection connection) throws SQLException {
        return Sql.rows(connection, "select v from t", row -> row.getString(1));
    }
}
