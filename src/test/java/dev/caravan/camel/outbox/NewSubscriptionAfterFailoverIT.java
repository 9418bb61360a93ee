package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.loop.LaneLoop;
import dev.caravan.engine.store.OtherHistoryException;
import org.apache.camel.CamelContext;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The server is replaced while a new subscription waits for open transactions. */
class NewSubscriptionAfterFailoverIT {
    private final CamelContext context = new DefaultCamelContext();
    private final TestOutbox outbox = TestOutbox.create();
    private HikariDataSource pool;
    private LaneLoop loop;

    @BeforeEach
    void create() throws Exception {
        pool = outbox.poolOfRoleWithGrants();
        OutboxComponent component = new OutboxComponent();
        component.setLaneConnections(pool);
        context.addComponent("outbox", component);
        context.start();
        OutboxEndpoint endpoint = context.getEndpoint("outbox:orders?start=latest", OutboxEndpoint.class);
        loop = endpoint.loop(0, endpoint.shared(), new LaneCounters(() -> 0), dead -> {});
    }

    @AfterEach
    void close() throws Exception {
        context.close();
        pool.close();
    }

    @Test
    void what_was_observed_on_the_old_server_does_not_count_on_the_new_one() throws Exception {
        try (ApplicationTransaction old = outbox.begin()) {
            old.insert("a");
            assertThat(loop.claim()).isFalse(); // waits for the transaction
        }
        ApplicationTransaction writer = outbox.begin(); // of the new server: not among the observed ones
        writer.insert("a");
        replaceServer();

        assertThatThrownBy(loop::claim).hasRootCauseInstanceOf(OtherHistoryException.class);

        assertThat(subscriptions()).isZero();
        assertThat(loop.claim()).isFalse(); // waits for the new transaction
        writer.commit();
        assertThat(loop.claim()).isTrue();
    }

    /** A server whose history cannot be read is another one than a server whose history was read. */
    private void replaceServer() {
        outbox.execute("revoke execute on function pg_control_system() from public");
        pool.getHikariPoolMXBean().softEvictConnections();
    }

    private long subscriptions() {
        return outbox.number("select count(*) from outbox_subscription");
    }
}
