package dev.caravan.lab.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Database;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class CountedDatabaseIT {
    private final TestOutbox outbox = TestOutbox.withoutTables();

    @Test
    void statements_of_all_connections_are_counted_with_begin_and_commit() throws Exception {
        try (var database = new CountedDatabase(outbox.url());
                Connection one = connect(database);
                Connection other = connect(database)) {
            long atStart = database.statements();

            one.createStatement().execute("select 'a long text ' || repeat('x', 100000)");
            one.createStatement().execute("select 'a long one " + "x".repeat(100_000) + "'");
            other.setAutoCommit(false);
            other.createStatement().execute("select 1");
            other.commit();

            assertThat(database.statements() - atStart).isEqualTo(2 + 3);
        }
    }

    @Test
    void an_encrypted_connection_is_reported() throws Exception {
        try (var database = new CountedDatabase(outbox.url())) {
            int port =
                    Integer.parseInt(database.settings().get("caravan.db.url").replaceFirst(".*:(\\d+)/.*", "$1"));
            try (var client = new Socket("localhost", port)) {
                client.getOutputStream().write(new byte[] {0x16, 3, 1, 2, 0, 1, 0, 1}); // the beginning of TLS
                client.shutdownOutput();
                client.getInputStream().readAllBytes();
            }

            assertThatThrownBy(database::statements).hasMessageContaining("encrypted");
        }
    }

    private Connection connect(CountedDatabase database) throws SQLException {
        var connection = outbox.connection();
        return Database.unpooled(
                        database.settings().get("caravan.db.url"),
                        connection.get("caravan.db.user"),
                        connection.get("caravan.db.password"))
                .getConnection();
    }
}
