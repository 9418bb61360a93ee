package dev.caravan.engine.store;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.outbox.TestDestination;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.camel.outbox.TestRelay;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** The state of a lane in memory is valid only in the history of the database in which the relay claimed the lane. */
class DatabaseHistoryIT {
    private final TestDestination destination = new TestDestination();
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void a_role_without_special_privileges_can_read_the_history() throws Exception {
        try (var pool = outbox.poolOfRoleWithGrants();
                var connection = pool.getConnection()) {
            DatabaseHistory history = new Histories().of(connection);

            assertThat(history.server()).matches("[0-9]{10,}");
            assertThat(history.timeline()).isEqualTo(1);
        }
    }

    @Test
    void where_the_history_may_not_be_read_each_start_of_the_server_counts_as_one() throws Exception {
        outbox.jdbc().execute("revoke execute on function pg_control_system() from public");
        try (var pool = outbox.poolOfRoleWithGrants();
                var connection = pool.getConnection();
                var another = pool.getConnection()) {
            DatabaseHistory history = new Histories().of(connection);

            assertThat(history.server()).startsWith("started at ");
            assertThat(new Histories().of(another)).isEqualTo(history);
        }
    }

    @Test
    void a_session_that_has_ended_is_a_failure_of_the_database() throws Exception {
        try (var connection = outbox.pool().getConnection()) {
            int session = connection.unwrap(PGConnection.class).getBackendPID();
            outbox.jdbc().queryForObject("select pg_terminate_backend(?, 10000)", Boolean.class, session);

            assertThatThrownBy(() -> new Histories().of(connection))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("terminating connection");
        }
    }

    @Test
    void progress_that_was_set_back_in_the_table_is_read_again() throws Exception {
        try (var relay =
                TestRelay.start(outbox.pool(), "orders", destination, component -> component.setLeaseDuration(3_000))) {
            outbox.insert("a");
            eventually(() -> assertThat(outbox.passed("orders", 1)).isTrue());
            outbox.jdbc().execute("create table backup as select * from outbox_subscription");
            outbox.insertMany(3, 1);
            eventually(() -> assertThat(outbox.passed("orders", 4)).isTrue());

            outbox.jdbc()
                    .execute("update outbox_subscription set (position, gaps, saves)"
                            + " = (select position, gaps, saves from backup)");

            eventually(() -> assertThat(destination.ids()).containsExactly(1L, 2L, 3L, 4L, 2L, 3L, 4L));
        }
    }
}
