package dev.caravan.camel.outbox;

import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Runs a statement on the data source of the application: in the transaction that Spring has begun on it, so that the message is stored exactly
 * if the transaction commits; without one, in a transaction of its own, whatever the auto-commit of the pool.
 */
final class AppendInTransaction implements Consumer<Sql> {
    private static final Logger LOG = LoggerFactory.getLogger(AppendInTransaction.class);

    /** The pool of Quarkus, whose connections belong to a JTA transaction by themselves and must not be committed in one. */
    private static final String AGROAL = "io.agroal.";

    private final String step;
    private final DataSource source;
    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * @param step the endpoint, for warnings
     * @param application the object that the transactions of the application use
     */
    AppendInTransaction(String step, DataSource application) {
        this.step = step;
        // A transaction is bound to the data source in this proxy. Its connection would look like one without a
        // transaction.
        source = application instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null
                ? proxy.getTargetDataSource()
                : application;
    }

    @Override
    public void accept(Sql statement) {
        if (TransactionSynchronizationManager.hasResource(source)) {
            statement.update(new JdbcTemplate(source));
            return;
        }
        if (TransactionSynchronizationManager.isActualTransactionActive()
                && !source.getClass().getName().startsWith(AGROAL)
                && warned.compareAndSet(false, true)) {
            LOG.warn(
                    "{} runs in a transaction of another data source, and appends its message even if that is rolled back."
                            + " Use the same data source in the transaction and in the component outbox",
                    step);
        }
        try (Connection connection = source.getConnection()) {
            alone(statement, connection);
        } catch (SQLException e) {
            throw translated(statement, e);
        }
    }

    private void alone(Sql statement, Connection connection) throws SQLException {
        boolean commits =
                !connection.getAutoCommit() && !source.getClass().getName().startsWith(AGROAL);
        try {
            statement.update(connection);
            if (commits) {
                connection.commit();
            }
        } catch (SQLException | RuntimeException e) {
            if (commits) {
                rollBack(connection, e);
            }
            throw e;
        }
    }

    private static void rollBack(Connection connection, Exception cause) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    private static DataAccessException translated(Sql statement, SQLException failure) {
        DataAccessException known =
                new SQLExceptionSubclassTranslator().translate("append a message", statement.text(), failure);
        return known == null ? new UncategorizedSQLException("append a message", statement.text(), failure) : known;
    }
}
