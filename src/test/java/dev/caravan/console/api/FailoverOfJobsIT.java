package dev.caravan.console.api;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.ReplicatedPostgres;
import dev.caravan.database.schema.Schema;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** A replica with all transactions of the primary is promoted while jobs run. */
@Tag("long")
class FailoverOfJobsIT {
    private ReplicatedPostgres servers;
    private HttpRelay relay;
    private JdbcTemplate primary;
    private JdbcTemplate promoted;

    @BeforeEach
    void start() throws Exception {
        servers = ReplicatedPostgres.start();
        primary = new JdbcTemplate(servers.primary());
        promoted = new JdbcTemplate(servers.replica());
        new Schema(servers.primary()).apply();
        relay = HttpRelay.on(Map.of(
                "caravan.db.url", servers.url(),
                "caravan.db.user", "postgres",
                "caravan.db.password", ""));
        primary.execute("insert into outbox_subscription (name, position) values ('sms', 0);"
                + " insert into outbox (aggregate_type, aggregate_id, type, payload)"
                + " select 'order', n::text, 'order.created', '{}' from generate_series(1, 200) n");
        dead("sms", 400);
        dead("orders", 12);
        eventually(() -> assertThat(number(
                        primary, "select coalesce(sum(delivered), 0) from outbox_subscription where name = 'orders'"))
                .isEqualTo(200));
        servers.replicateSynchronously();
    }

    private void dead(String subscription, int count) {
        primary.update(
                "insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type, payload, created_at,"
                        + " attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack)"
                        + " select ?, 700000 + n, gen_random_uuid(), 'order', n::text, 'order.created', '{}', now(), 1, now(), now(), 'E', 'e', ''"
                        + " from generate_series(1, ?) n",
                subscription,
                count);
    }

    @AfterEach
    void close() throws Exception {
        relay.close();
        servers.close();
    }

    @Test
    void jobs_continue_from_the_last_step_that_the_promoted_server_has() throws Exception {
        JsonNode discard = begun(
                "/api/dead-letters/bulk",
                "{\"action\":\"discard\",\"reason\":\"over\",\"rate\":40,\"filter\":{\"subscription\":\"sms\"}}");
        JsonNode replay = begun("/api/subscriptions/orders/replay", "{\"all\":true,\"rate\":20}");
        JsonNode retry = begun(
                "/api/dead-letters/bulk", "{\"action\":\"retry\",\"rate\":1,\"filter\":{\"subscription\":\"orders\"}}");

        servers.killPrimary();
        relay.get("/api/dead-letters").assertStatus(503);
        servers.promoteReplica();
        eventually(() -> assertThat(relay.get("/api/dead-letters").status()).isEqualTo(200));

        for (JsonNode job : List.of(discard, replay, retry)) {
            JsonNode ended = relay.ended(job);
            assertThat(ended.get("state").asText()).as(ended.toString()).isEqualTo("done");
        }
        assertThat(doneOf(discard)).isEqualTo(400);
        assertThat(number(promoted, "select count(*) from outbox_dead_letter where subscription = 'sms'"))
                .isZero();
        assertThat(number(promoted, "select count(*) from outbox_discarded where subscription = 'sms'"))
                .isEqualTo(400);
        assertThat(doneOf(replay)).isEqualTo(200);
        assertThat(number(promoted, "select (detail ->> 'messages')::bigint from outbox_audit where action = 'replay'"))
                .isEqualTo(200);
        assertThat(relay.get("/api/bulk-retries").number("/items/0/delivered")).isEqualTo(12);
    }

    /** A job that has changed something. */
    private JsonNode begun(String path, String body) throws Exception {
        JsonNode job = relay.post(path, body).json();
        eventually(() -> assertThat(doneOf(job)).as(job.toString()).isPositive());
        return job;
    }

    private long doneOf(JsonNode job) throws Exception {
        return relay.get("/api/jobs/" + job.get("id")).number("/done");
    }

    private static long number(JdbcTemplate server, String sql) {
        return server.queryForObject(sql, Long.class);
    }
}
