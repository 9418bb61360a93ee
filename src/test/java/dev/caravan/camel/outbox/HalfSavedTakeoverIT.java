package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.database.Sql;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A relay whose machine or network fails in the middle of a save leaves a transaction that locks its subscription. */
class HalfSavedTakeoverIT {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch over = new CountDownLatch(1);

    @Test
    void another_relay_takes_over_from_one_that_vanished_in_the_middle_of_a_save() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            TestDestination failing = new TestDestination();
            failing.failIf(arrival -> true);
            TestDestination working = new TestDestination();
            try (var vanished = TestRelay.start(
                    vanishingInASave(outbox.pool()), "orders", failing, c -> c.setLeaseDuration(3_000))) {
                long id = outbox.insert("a");
                reached.await();
                try (var successor =
                        TestRelay.start(outbox.pool(), "orders", working, c -> c.setLeaseDuration(3_000))) {
                    eventually(() -> assertThat(working.ids()).containsExactly(id));
                } finally {
                    over.countDown();
                }
            }
        }
    }

    /** Connections that hang as soon as a transaction would store a message for another attempt. */
    private DataSource vanishingInASave(DataSource pool) {
        return new DelegatingDataSource(pool) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                return (Connection) Proxy.newProxyInstance(
                        getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                            if (method.getName().equals("prepareStatement")
                                    && arguments[0].equals(
                                            Sql.file("engine/retry_store").text())) {
                                reached.countDown();
                                over.await();
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
