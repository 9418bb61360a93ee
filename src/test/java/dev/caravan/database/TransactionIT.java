package dev.caravan.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.caravan.camel.outbox.TestOutbox;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

class TransactionIT {
    private TestOutbox outbox;

    @BeforeEach
    void open() throws Exception {
        outbox = TestOutbox.create();
    }

    @AfterEach
    void close() throws Exception {
        outbox.close();
    }

    private int endSession(Connection connection) throws SQLException {
        int process = connection.unwrap(PGConnection.class).getBackendPID();
        outbox.execute("do $$ begin perform pg_terminate_backend(" + process + ", 5000); end $$");
        return process;
    }

    private DatabaseFailure failureOf(Transaction.Work<?> work) {
        Throwable thrown = catchThrowable(() -> Transaction.run(outbox.dataSource(), work));
        return DatabaseFailure.in(thrown).orElseThrow();
    }

    @Test
    void a_commit_that_is_not_answered_is_reported_as_a_change_that_may_have_been_made() {
        DatabaseFailure failure = failureOf(this::endSession);

        assertThat(failure.text()).contains("A change may have been made");
        assertThat(failure.waitingHelps()).isTrue();
    }

    @Test
    void a_connection_that_is_lost_before_the_commit_has_changed_nothing() {
        DatabaseFailure failure = failureOf(connection -> {
            endSession(connection);
            return DatabaseClock.now(connection);
        });

        assertThat(failure.text())
                .startsWith("Could not connect to the database")
                .doesNotContain("may have been made");
    }

    @Test
    void an_error_rolls_back() {
        Throwable thrown = catchThrowable(() -> Transaction.run(outbox.dataSource(), connection -> {
            Sql.execute(
                    connection,
                    "insert into outbox (aggregate_type, aggregate_id, type) values ('order', 'a', 'order.created')");
            throw new StackOverflowError();
        }));

        assertThat(thrown).isInstanceOf(StackOverflowError.class);
        assertThat(outbox.number("select count(*) from outbox")).isZero();
    }

    @Test
    void a_commit_that_is_refused_has_changed_nothing() {
        outbox.execute(
                "create table pair (id int primary key, other int references pair deferrable initially deferred)");

        DatabaseFailure failure = failureOf(connection -> Sql.execute(connection, "insert into pair values (1, 2)"));

        assertThat(failure.text()).startsWith("The database refused a statement");
    }
}
