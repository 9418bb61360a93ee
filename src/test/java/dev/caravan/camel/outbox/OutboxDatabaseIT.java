package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.clock.Clock;
import dev.caravan.database.Connections;
import dev.caravan.database.OutboxSchema;
import java.sql.Connection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OutboxDatabaseIT {
    private final TestOutbox outbox = TestOutbox.create();
    private final OutboxDatabase database = new OutboxDatabase(Clock.SYSTEM);

    private void open() throws Exception {
        database.open(Connections.of(outbox.dataSource(), new OutboxSchema("public")), null);
    }

    /** The lock is held while another pool is created, or the database is checked. */
    @Test
    void a_lane_that_has_a_pool_gets_a_connection_while_another_thread_has_the_lock() throws Exception {
        open();
        database.lanes().getConnection().close();
        CompletableFuture<Boolean> works = new CompletableFuture<>();
        synchronized (database) {
            Thread lane = new Thread(() -> {
                try (Connection connection = database.lanes().getConnection()) {
                    works.complete(connection.isValid(5));
                } catch (Exception e) {
                    works.completeExceptionally(e);
                }
            });
            lane.start();
            assertThat(works.get(30, TimeUnit.SECONDS)).isTrue();
        }
        database.close();
    }

    @Test
    void after_a_stop_there_is_no_connection_and_after_a_start_a_new_session() throws Exception {
        open();
        int first = session();
        database.close();
        assertThatThrownBy(database.lanes()::getConnection).hasMessage("The component outbox does not run");

        open();
        assertThat(session()).isNotEqualTo(first);
        database.close();
    }

    private int session() throws Exception {
        try (Connection connection = database.lanes().getConnection();
                var statement = connection.createStatement();
                var row = statement.executeQuery("select pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        }
    }
}
