package dev.caravan.engine.store;

import dev.caravan.database.Transaction;
import java.util.function.Supplier;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions whose statements are planned for the side tables as they are now. */
final class PlannedTransaction {
    private final JdbcTemplate jdbc;
    private final TransactionTemplate transaction;

    PlannedTransaction(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
        transaction = new TransactionTemplate(new DataSourceTransactionManager(jdbc.getDataSource()));
    }

    <T> T run(Supplier<T> statements) {
        return transaction.execute(status -> {
            jdbc.execute(Transaction.SETTINGS);
            return statements.get();
        });
    }
}
