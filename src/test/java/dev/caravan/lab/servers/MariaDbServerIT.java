package dev.caravan.lab.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.TestMariaDb;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class MariaDbServerIT {
    private static final String ROCKET = "\ud83d\ude80";

    @Test
    void both_drivers_read_what_the_other_one_wrote() throws Exception {
        MariaDbServer server = TestMariaDb.server();
        String database = server.createDatabase();
        try (Connection mariadb = server.connect(database);
                Connection mysql =
                        DriverManager.getConnection(server.mysqlUrl(database), server.user(), server.password())) {
            execute(mariadb, "create table t(id int auto_increment primary key, v varchar(10))");
            execute(mariadb, "insert into t(v) values ('" + ROCKET + "')");
            execute(mysql, "insert into t(v) values ('" + ROCKET + "')");

            assertThat(mysql.getMetaData().getDriverName()).contains("MySQL");
            assertThat(text(mysql, "select group_concat(v) from t")).isEqualTo(ROCKET + "," + ROCKET);
            assertThat(text(mariadb, "select group_concat(v) from t")).isEqualTo(ROCKET + "," + ROCKET);
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
                execute(connection, "create table t(v int)");
                execute(connection, "insert into t values (1)");
                connection.setAutoCommit(false);
                execute(connection, "insert into t values (2)");
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
                assertThat(text(connection, "select group_concat(v) from t")).isEqualTo("1");
            }
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String text(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
