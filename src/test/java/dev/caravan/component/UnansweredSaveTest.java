package dev.caravan.component;

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

/** The connection ends before the answer to the commit of a save comes: the relay asks what became of it. */
class UnansweredSaveTest {
    private final AtomicInteger commits = new AtomicInteger();

    @Test
    void a_dead_letter_that_a_person_discarded_after_an_unanswered_commit_does_not_come_back() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            Person person = new Person(outbox);
            AtomicInteger discarded = new AtomicInteger();
            Destination destination = new Destination();
            destination.failIf(arrival -> !arrival.key().equals("good"));
            DataSource losing = losingTheAnswerToTheFirstCommit(outbox.pool(), connection -> {
                connection.commit();
                discarded.set(person.discardAll());
            });
            try (var relay = TestRelay.start(losing, "orders?maxAttempts=1", destination, component -> {})) {
                outbox.insert("a");
                long after = outbox.insert("good");

                eventually(() -> assertThat(discarded.get()).isEqualTo(1));
                eventually(() -> assertThat(outbox.saved("orders").position()).isEqualTo(after));
                long next = outbox.insert("b");
                eventually(() -> assertThat(outbox.dead("orders")).containsExactly(next));
            }
        }
    }

    @Test
    void what_was_not_committed_is_part_of_the_next_save() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            Destination destination = new Destination();
            destination.failIf(arrival -> true);
            DataSource losing = losingTheAnswerToTheFirstCommit(outbox.pool(), Connection::rollback);
            try (var relay = TestRelay.start(losing, "orders?maxAttempts=1", destination, component -> {})) {
                outbox.insert("a");

                eventually(() -> assertThat(outbox.dead("orders")).hasSize(1));
                assertThat(commits.get()).isEqualTo(2);
            }
        }
    }

    private interface Instead {
        void run(Connection connection) throws SQLException;
    }

    private DataSource losingTheAnswerToTheFirstCommit(DataSource pool, Instead instead) {
        return new DelegatingDataSource(pool) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                return (Connection) Proxy.newProxyInstance(
                        getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                            if (method.getName().equals("commit") && commits.incrementAndGet() == 1) {
                                instead.run(connection);
                                throw new SQLException("An I/O error occurred", "08006");
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
