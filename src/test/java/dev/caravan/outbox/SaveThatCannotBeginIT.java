package dev.caravan.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A save of failures is a transaction. When it cannot even begin, what it was to write must be part of the next save. */
class SaveThatCannotBeginIT {
    private static final int REFUSED = 2;

    private final AtomicInteger begun = new AtomicInteger();

    @Test
    void a_message_to_retry_is_not_lost_when_the_connection_ends_just_before_it_is_stored() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            TestDestination destination = new TestDestination();
            destination.failIf(arrival -> arrival.attempt() == 1);
            try (var relay = TestRelay.start(
                    refusingTransactions(outbox.pool()), "orders?backoff=10ms", destination, component -> {})) {
                long id = outbox.insert("a");

                eventually(() -> assertThat(begun.get()).isGreaterThan(REFUSED));
                eventually(() -> assertThat(destination.ids()).containsExactly(id));
            }
        }
    }

    /** Connections that are lost the first times when a transaction begins on them. */
    private DataSource refusingTransactions(DataSource pool) {
        return new DelegatingDataSource(pool) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                return (Connection) Proxy.newProxyInstance(
                        getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                            if (method.getName().equals("setAutoCommit")
                                    && arguments[0].equals(false)
                                    && begun.incrementAndGet() <= REFUSED) {
                                throw new SQLException("told to be gone", "08006");
                            }
                            try {
                                return method.invoke(connection, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
            }
        };
    }
}
