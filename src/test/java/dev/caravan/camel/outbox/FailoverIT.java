package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static dev.caravan.ReplicatedPostgres.unpooled;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.ReplicatedPostgres;
import dev.caravan.base.settings.Settings;
import dev.caravan.database.Connections;
import dev.caravan.database.schema.Schema;
import dev.caravan.engine.store.Histories;
import dev.caravan.engine.store.OutboxConnections;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.job.Jobs;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** An asynchronous replica is promoted that lacks the last transactions of the primary, whose ids it assigns again. */
class FailoverIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    /** More than Postgres writes ahead of a sequence, so that ids are assigned again. */
    private static final int MANY = 50;

    private final TestDestination destination = new TestDestination();
    private ReplicatedPostgres servers;
    private HikariDataSource pool;

    @BeforeEach
    void start() throws Exception {
        servers = ReplicatedPostgres.start();
        new Schema(servers.primary()).apply();
        pool = Connections.of(Settings.load(
                Path.of("none.properties"),
                Map.of(
                        "caravan.db.url", servers.url() + "&connectTimeout=1",
                        "caravan.db.user", "postgres",
                        "caravan.db.password", ""))).outboxPool();
    }

    @AfterEach
    void close() throws Exception {
        pool.close();
        servers.close();
    }

    @Tag("long")
    @Test
    void what_the_promoted_server_committed_is_delivered_though_the_replica_has_the_last_save() throws Exception {
        // the lease is so long that no renewal saves what the test needs unsaved
        try (var relay = start("orders?saveInterval=60000ms", 20_000)) {
            insert(servers.primary(), 5);
            delivered(5);
            servers.awaitReplica();
            servers.cutReplica();
            insert(servers.primary(), MANY);
            delivered(5 + MANY); // and not saved

            failOver();
            endLease();

            everythingOfThePromotedServerIsDelivered();
        }
    }

    @Test
    void what_the_promoted_server_committed_is_delivered_though_the_replica_lacks_the_last_saves() throws Exception {
        try (var relay = start("orders", 5_000)) {
            insert(servers.primary(), 5);
            delivered(5);
            servers.awaitReplica();
            servers.cutReplica();
            insert(servers.primary(), MANY);
            delivered(5 + MANY);
            eventually(() -> assertThat(position(servers.primary())).isEqualTo(5 + MANY));

            failOver();
            endLease();

            everythingOfThePromotedServerIsDelivered();
        }
    }

    @Tag("long")
    @Test
    void what_the_promoted_server_committed_is_delivered_when_the_last_save_was_not_answered() throws Exception {
        destination.failIf(arrival -> arrival.id() == 6);
        var losing = FailingSaves.atFirstCommit(pool, connection -> {
            connection.commit();
            failOver();
        });
        try (var relay = TestRelay.start(losing, "orders?maxAttempts=1", destination, c -> c.setLeaseDuration(5_000))) {
            insert(servers.primary(), 5);
            delivered(5);
            servers.awaitReplica();
            servers.cutReplica();
            insert(servers.primary(), MANY);

            everythingOfThePromotedServerIsDelivered();
        }
    }

    /** Its last step was reported, and the promoted server lacks it. */
    @Test
    void a_bulk_retry_continues_from_the_last_step_that_the_promoted_server_has() throws Exception {
        JdbcTemplate primary = new JdbcTemplate(servers.primary());
        primary.execute("insert into outbox_subscription (name, position, owner, lease_until)"
                + " values ('orders', 20, 'relay', now() + interval '1 hour')");
        primary.execute(
                "insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type,"
                        + " created_at, attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack)"
                        + " select 'orders', n, gen_random_uuid(), 'order', n::text, 'order.created', now(), 1, now(), now(), 'E',"
                        + " 'refused', '' from generate_series(1, 20) n");
        Jobs retries = new Jobs(pool);
        long id = retries.startBulkRetry(
                        MessageFilter.ALL, "orders", 20, OptionalInt.empty(), new Actor("anna", Optional.empty()))
                .id();
        retries.step(id);
        servers.awaitReplica();
        servers.cutReplica();
        deliverRetried(servers.primary());
        retries.step(id);
        assertThat(retries.find(id).orElseThrow().done()).isEqualTo(20);

        servers.promoteReplica();
        servers.killPrimary();

        JdbcTemplate promoted = new JdbcTemplate(servers.replica());
        eventually(LIMIT, () -> {
            deliverRetried(servers.replica());
            stepAsARelay(retries);
            assertThat(promoted.queryForObject("select state from outbox_job", String.class))
                    .isEqualTo("done");
        });
        assertThat(promoted.queryForObject(
                        "select concat_ws(' ', done, delivered, failed) from outbox_job", String.class))
                .isEqualTo("20 20 0");
        assertThat(promoted.queryForObject(
                        "select concat_ws(' ', count(*), count(distinct message)) from " + TestOutbox.AUDITED,
                        String.class))
                .isEqualTo("20 20");
    }

    private static void deliverRetried(DataSource server) {
        new JdbcTemplate(server).update("delete from outbox_retry");
    }

    private static void stepAsARelay(Jobs retries) {
        try {
            retries.stepAll();
        } catch (SQLException e) {
            throw new AssertionError("a relay makes the step again", e);
        }
    }

    @Tag("long")
    @Test
    void pooled_connections_to_an_old_primary_that_still_answers_are_replaced() throws Exception {
        AtomicReference<DataSource> current = new AtomicReference<>(unpooled(servers.primaryUrl()));
        try (HikariDataSource pooled = new HikariDataSource()) {
            pooled.setDataSource(new DelegatingDataSource(current.get()) {
                @Override
                public Connection getConnection() throws SQLException {
                    return current.get().getConnection();
                }
            });
            pooled.setMinimumIdle(0);
            var connections = new OutboxConnections(pooled, new Histories());
            Connection old = connections.getConnection();
            servers.promoteReplica();
            current.set(unpooled(servers.replicaUrl()));
            connections.getConnection().close(); // a new one, as the old one is in use
            old.close();

            eventually(() -> {
                for (int i = 0; i < 3; i++) {
                    assertThatCode(() -> connections.getConnection().close()).doesNotThrowAnyException();
                }
            });
        }
    }

    @Test
    void a_standby_and_an_old_primary_give_no_connection() throws Exception {
        var histories = new Histories();
        var toPrimary = new OutboxConnections(unpooled(servers.primaryUrl()), histories);
        var toReplica = new OutboxConnections(unpooled(servers.replicaUrl()), histories);
        toPrimary.getConnection().close();

        assertThatThrownBy(toReplica::getConnection).hasMessageContaining("is a standby");
        servers.promoteReplica();
        toReplica.getConnection().close();

        assertThatThrownBy(toPrimary::getConnection)
                .hasMessageContaining("(timeline 1) was replaced by another one (timeline 2)");
    }

    /** Ids are assigned again before the relay can detect the failover. */
    private void failOver() throws Exception {
        List<Long> before = ids(servers.primary());
        servers.promoteReplica();
        insert(servers.replica(), MANY);
        assertThat(ids(servers.replica())).containsAnyElementsOf(before.subList(5, before.size()));
        servers.killPrimary();
    }

    /** Ends the lease that the promoted server has, so that nothing has to wait for its end. */
    private void endLease() {
        new JdbcTemplate(servers.replica()).update("update outbox_subscription set lease_until = clock_timestamp()");
    }

    private void everythingOfThePromotedServerIsDelivered() throws Exception {
        eventually(LIMIT, () -> assertThat(committed()).hasSize(5 + MANY));
        List<String> committed = committed();
        eventually(LIMIT, () -> assertThat(destination.arrivals())
                .extracting(TestDestination.Arrival::messageId)
                .containsAll(committed));
    }

    private List<String> committed() {
        return new JdbcTemplate(servers.replica())
                .queryForList("select message_id::text from outbox order by id", String.class);
    }

    private TestRelay start(String uri, long lease) throws Exception {
        return TestRelay.start(pool, uri, destination, component -> component.setLeaseDuration(lease));
    }

    private void delivered(int count) throws Exception {
        eventually(LIMIT, () -> assertThat(destination.ids()).hasSize(count));
    }

    private static void insert(DataSource server, int count) {
        new JdbcTemplate(server)
                .update(
                        "insert into outbox (aggregate_type, aggregate_id, type, payload)"
                                + " select 'order', 'k' || (n % 7), 'order.created', '{}' from generate_series(1, ?) n",
                        count);
    }

    private static List<Long> ids(DataSource server) {
        return new JdbcTemplate(server).queryForList("select id from outbox order by id", Long.class);
    }

    private static long position(DataSource server) {
        return new JdbcTemplate(server).queryForObject("select min(position) from outbox_subscription", Long.class);
    }
}
