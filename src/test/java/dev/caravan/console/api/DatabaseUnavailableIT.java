package dev.caravan.console.api;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.console.api.HttpRelay.Answered;
import dev.caravan.lab.servers.TcpProxy;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** An unavailable or slow database is reported within seconds and does not delay other requests. */
class DatabaseUnavailableIT {
    @Test
    void an_unavailable_database_is_a_problem_within_seconds_until_it_is_available_again() throws Exception {
        TestOutbox database = TestOutbox.create();
        String direct = database.url();
        int port = URI.create(direct.substring("jdbc:".length())).getPort();
        try (TcpProxy proxy = TcpProxy.to(port);
                HttpRelay relay = HttpRelay.start(
                        database,
                        Map.of("caravan.db.url", direct.replace(":" + port + "/", ":" + proxy.port() + "/")))) {
            relay.get("/api/subscriptions").assertStatus(200);
            eventually( // the first sample, which the overview shows while the database is unavailable
                    Duration.ofSeconds(30), () -> assertThat(relay.get("/api/history")
                                    .json()
                                    .at("/subscriptions/orders")
                                    .isObject())
                            .isTrue());

            proxy.refuse();

            eventually(Duration.ofSeconds(30), () -> {
                Answered answered = relay.get("/api/subscriptions");
                answered.assertStatus(503);
                assertThat(answered.response().headers().firstValue("Retry-After"))
                        .isPresent();
                assertThat(answered.detail()).doesNotContain("password");
            });
            eventually(Duration.ofSeconds(30), () -> {
                Answered overview = relay.get("/api/overview");
                overview.assertStatus(200);
                assertThat(overview.text("/verdict/state")).isEqualTo("down");
                assertThat(overview.text("/verdict/text")).contains("the database has been unavailable since 20");
                assertThat(overview.text("/problems/0/name")).isEqualTo("database-unavailable");
                assertThat(Instant.parse(overview.text("/at")))
                        .isBeforeOrEqualTo(Instant.parse(overview.text("/databaseUnavailableSince"))
                                .plusSeconds(1));
                assertThat(overview.json().get("subscriptions").isArray()).isTrue();
            });
            long begun = System.nanoTime();
            relay.get("/api/subscriptions").assertStatus(503);
            relay.get("/api/me").assertStatus(200);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(20));

            Answered history = relay.get("/api/history?minutes=15"); // what the relay knows itself
            history.assertStatus(200);
            assertThat(history.json().at("/subscriptions/orders/lagSeconds").size())
                    .isPositive();
            relay.get("/api/history?from=3h&to=2h").assertStatus(503);

            proxy.pass();

            eventually(
                    Duration.ofSeconds(30),
                    () -> assertThat(relay.get("/api/subscriptions").status()).isEqualTo(200));
        }
    }

    @Test
    void a_statement_that_takes_too_long_is_ended() throws Exception {
        try (HttpRelay relay = HttpRelay.start(Map.of());
                var writer = relay.database.begin("lock table outbox_audit in access exclusive mode")) {
            relay.get("/api/audit").assertProblem(503, "too long");
            writer.rollback();
            relay.get("/api/audit").assertStatus(200);
        }
    }

    @Test
    void a_role_without_the_grants_of_a_person_gets_the_name_of_a_missing_one() throws Exception {
        TestOutbox database = TestOutbox.create();
        String role = database.roleWithGrants();
        database.execute("revoke select on outbox_audit from " + role);
        try (HttpRelay relay = HttpRelay.start(
                database, Map.of("caravan.db.user", role, "caravan.db.password", TestOutbox.PASSWORD_OF_ROLES))) {
            relay.get("/api/subscriptions").assertStatus(200);
            relay.get("/api/audit").assertProblem(503, "outbox_audit", "Grant");
        }
    }
}
