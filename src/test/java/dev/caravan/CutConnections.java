package dev.caravan;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/** Connections of which one is ended by the server, once, at a statement with a given number. A commit counts as a statement. */
public final class CutConnections extends ProxiedConnections {
    public enum When {
        BEFORE_IT,
        /** The statement is executed; its answer is lost. */
        AFTER_IT
    }

    private final int number;
    private final When when;
    private int executed;

    public CutConnections(DataSource source, int number, When when) {
        super(source);
        this.number = number;
        this.when = when;
    }

    @Override
    protected Object on(Call call) throws Exception {
        if (!call.isExecution() && !call.method().equals("commit") || ++executed != number) {
            return call.proceed();
        }
        if (when == When.BEFORE_IT) {
            end(call.connection());
            return call.proceed();
        }
        call.proceed();
        end(call.connection());
        throw new SQLException("An I/O error occurred", "08006");
    }

    private void end(Connection connection) throws SQLException {
        int process = connection.unwrap(PGConnection.class).getBackendPID();
        try (Connection other = getTargetDataSource().getConnection();
                Statement statement = other.createStatement()) {
            statement.execute("select pg_terminate_backend(" + process + ", 5000)");
        }
    }
}
