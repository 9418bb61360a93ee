package dev.caravan.engine.store;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Database connections to the outbox in its newest history. */
public class OutboxConnections extends DelegatingDataSource {
    private final Histories histories;

    public OutboxConnections(DataSource source, Histories histories) {
        super(source);
        this.histories = histories;
    }

    @Override
    public final Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        try {
            require(histories.of(connection));
            return connection;
        } catch (SQLException | RuntimeException | Error e) {
            connection.close();
            throw e;
        }
    }

    /** @throws SQLException if connections to this history must not be used */
    void require(DatabaseHistory found) throws SQLException {}
}
