package dev.caravan.relay;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.WrittenLog;
import dev.caravan.camel.outbox.OutboxComponent;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.lab.servers.FreePorts;
import dev.caravan.routes.context.DefinedNames;
import dev.caravan.routes.context.SharedNames;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.camel.component.http.HttpComponent;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RelaySettingsIT {
    private static final String ROUTE = """
            - route:
                id: orders
                from:
                  uri: outbox:orders
                  parameters:
                    window: 14
                    types: "{{types}}"
                  steps:
                    - process:
                        ref: "#class:dev.caravan.relay.Arrivals"
            """;

    @TempDir
    private Path routes;

    private final TestOutbox database = TestOutbox.create();

    @BeforeEach
    void create() throws Exception {
        Files.writeString(routes.resolve("orders.camel.yaml"), ROUTE);
    }

    @AfterEach
    void close() throws Exception {
        Arrivals.forget();
    }

    @Test
    void options_of_the_component_come_from_the_settings_and_routes_resolve_placeholders() throws Exception {
        var settings = database.settingsWithRoutes(
                routes,
                Map.of(
                        "camel.component.outbox.leaseDuration", "2500ms",
                        "camel.main.shutdownTimeout", "2",
                        "camel.component.outbox.relay", "test-relay",
                        "types", "order.*"));
        try (Relay relay = Relay.start(settings)) {
            var component = relay.context().getComponent("outbox", OutboxComponent.class);
            assertThat(component.getLeaseDuration()).isEqualTo(2_500);
            assertThat(relay.context().getShutdownStrategy().getTimeout()).isEqualTo(2);

            database.insertMany(10, 10);

            eventually(() -> assertThat(Arrivals.at("orders")).hasSize(10));
            assertThat(database.jdbc().queryForObject("select owner from outbox_subscription", String.class))
                    .isEqualTo("test-relay");
        }
    }

    /** Also those that are not yet bound when the route files are checked. */
    @Test
    void a_route_file_cannot_replace_any_bean_of_the_relay() throws Exception {
        var settings = database.settingsWithRoutes(
                routes,
                Map.of(
                        "types", "*",
                        "camel.management.enabled", "true",
                        "camel.management.port", Integer.toString(FreePorts.one()),
                        "camel.server.enabled", "true",
                        "camel.server.port", Integer.toString(FreePorts.one()),
                        "camel.metrics.enabled", "true",
                        "camel.health.enabled", "true"));
        try (Relay relay = Relay.start(settings);
                var idle = new DefaultCamelContext()) {
            SharedNames names = SharedNames.of(idle, List.of());
            assertThat(relay.context()
                            .getRegistry()
                            .findByTypeWithName(Object.class)
                            .keySet())
                    .contains("dataSource", "filesNotLoaded")
                    .allSatisfy(name -> {
                        var file = DefinedNames.in("a.camel.yaml", "- beans: [{name: '%s', type: A}]".formatted(name));
                        assertThat(names.refused(file, List.of())).as(name).hasSize(1);
                    });
        }
    }

    /** Each attempt would wait for it for 30 s, in one of the places for messages that are sent at the same time. */
    @Test
    void messages_for_a_route_that_is_missing_do_not_hold_back_others() throws Exception {
        Files.writeString(routes.resolve("orders.camel.yaml"), """
                - route:
                    id: orders
                    from:
                      uri: outbox:orders
                      steps:
                        - toD:
                            uri: "direct:${header.aggregate-id}"
                - route:
                    id: good
                    from:
                      uri: direct:good
                      steps:
                        - process:
                            ref: "#class:dev.caravan.relay.Arrivals"
                """);
        for (int i = 0; i < 30; i++) {
            database.insert("missing-" + i);
        }
        database.insert("good");

        try (Relay relay = Relay.start(database.settingsWithRoutes(routes, Map.of()))) {
            eventually(Duration.ofSeconds(25), () -> assertThat(Arrivals.at("orders"))
                    .hasSize(1));
            eventually(() -> assertThat(database.waiting("orders")).hasSize(30));
        }
    }

    /** Requests to the management server are refused until it checks them, but here there is none. */
    @Test
    void a_server_of_routes_answers_on_the_port_of_a_management_server_that_is_disabled() throws Exception {
        Files.writeString(routes.resolve("orders.camel.yaml"), """
                - route:
                    from:
                      uri: platform-http:/hello
                      steps:
                        - setBody: {constant: hello}
                """);
        String port = Integer.toString(FreePorts.one());
        var settings = database.settingsWithRoutes(
                routes,
                Map.of(
                        "camel.management.enabled",
                        "false",
                        "camel.management.port",
                        port,
                        "camel.server.enabled",
                        "true",
                        "camel.server.port",
                        port));

        try (Relay relay = Relay.start(settings)) {
            assertThat(new URL("http://localhost:" + port + "/hello").openStream())
                    .hasContent("hello");
        }
    }

    @Test
    void a_relay_that_could_not_be_watched_does_not_start() throws Exception {
        try (var other = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            String port = Integer.toString(other.getLocalPort());
            var settings = database.settingsWithRoutes(
                    routes, Map.of("types", "*", "camel.management.enabled", "true", "camel.management.port", port));

            assertThatThrownBy(() -> Relay.start(settings))
                    .isInstanceOf(RelayStartException.class)
                    .hasMessageContaining("port " + port + " of 127.0.0.1")
                    .hasMessageContaining("Another program uses the port")
                    .hasMessageContaining("camel.management.port (CAMEL_MANAGEMENT_PORT)");
        }
        assertThat(database.number("select count(*) from outbox_subscription")).isZero();
    }

    @Test
    void an_address_of_another_machine_is_not_taken_for_a_port_in_use() {
        var settings = database.settingsWithRoutes(
                routes,
                Map.of(
                        "types", "*",
                        "camel.management.enabled", "true",
                        "camel.management.host", "192.0.2.1",
                        "caravan.management.token", "0123456789abcdef"));

        assertThatThrownBy(() -> Relay.start(settings))
                .isInstanceOf(RelayStartException.class)
                .hasMessageContaining("MANAGEMENT_HOST")
                .hasMessageNotContaining("Another program");
    }

    @Test
    void a_relay_with_notices_looks_for_problems() throws Exception {
        database.execute("insert into outbox_subscription (name, position) values ('left-over', 0)");

        try (Relay relay =
                Relay.start(database.settingsWithRoutes(routes, Map.of("types", "*", "caravan.notices", "4h")))) {
            eventually(() -> assertThat(database.jdbc()
                            .queryForList(
                                    "select problem from outbox_notice where subscription = 'left-over'", String.class))
                    .containsExactly("subscription-unowned"));
        }
    }

    @Test
    void the_defaults_of_the_relay_reach_camel_and_its_settings_override_them() throws Exception {
        try (Relay relay = Relay.start(database.settingsWithRoutes(
                routes, Map.of("types", "*", "camel.component.https.automatic-retries-disabled", "false")))) {
            var http = relay.context().getComponent("http", HttpComponent.class);
            var https = relay.context().getComponent("https", HttpComponent.class);

            assertThat(http.isAutomaticRetriesDisabled()).isTrue();
            assertThat(https.isAutomaticRetriesDisabled()).isFalse();
            assertThat(relay.context().getManagementStrategy().getManagementAgent())
                    .isNull();
        }
    }

    @Test
    void a_closed_relay_has_saved_its_progress_and_released_its_lease() throws Exception {
        try (Relay relay = Relay.start(database.settingsWithRoutes(routes, Map.of("types", "*")))) {
            database.insertMany(10, 10);
            eventually(() -> assertThat(Arrivals.at("orders")).hasSize(10));
        }

        assertThat(database.passed("orders", 10)).isTrue();
        assertThat(database.jdbc().queryForObject("select owner is null from outbox_subscription", Boolean.class))
                .isTrue();
    }

    @Test
    void a_wrong_option_of_a_route_is_reported_at_start_with_its_file() {
        assertThatThrownBy(() -> Relay.start(database.settingsWithRoutes(routes, Map.of("types", ","))))
                .isInstanceOf(RelayStartException.class)
                .hasMessageContaining(
                        "Could not start the routes: orders.camel.yaml:4: route orders: outbox:orders: types must name at least one type");
    }

    @Test
    void a_missing_setting_of_a_route_is_named_at_start() {
        assertThatThrownBy(() -> Relay.start(database.settingsWithRoutes(routes, Map.of())))
                .isInstanceOf(RelayStartException.class)
                .hasMessageStartingWith("Could not start the routes: the setting types is missing. Write it into");
    }

    @Test
    void the_reason_of_a_failed_start_has_no_secrets() throws Exception {
        Files.writeString(
                routes.resolve("orders.camel.yaml"),
                ROUTE.replace("#class:dev.caravan.relay.Arrivals", "{{partner.key}}"));

        assertThatThrownBy(() -> Relay.start(
                        database.settingsWithRoutes(routes, Map.of("types", "*", "partner.key", "Sk_Live-Abc123"))))
                .isInstanceOf(RelayStartException.class)
                .hasMessageContaining("No bean could be found in the registry for: •••");
    }

    /** Camel logs what fails at the start of a route, with all causes. */
    @Test
    void a_part_of_a_password_that_kafka_quotes_is_not_logged() throws Exception {
        Files.writeString(
                routes.resolve("orders.camel.yaml"),
                ROUTE.replaceFirst("(?s)- process:.*", "- to: {uri: kafka:orders}\n"));

        try (WrittenLog log = WrittenLog.of("org.apache.camel.impl.engine.AbstractCamelContext")) {
            assertThatThrownBy(() -> Relay.start(database.settingsWithRoutes(
                            routes,
                            Map.of(
                                    "types", "*",
                                    "camel.component.kafka.brokers", "localhost:1",
                                    "camel.component.kafka.securityProtocol", "SASL_PLAINTEXT",
                                    "camel.component.kafka.saslMechanism", "PLAIN",
                                    "camel.component.kafka.saslJaasConfig",
                                            "org.apache.kafka.common.security.plain.PlainLoginModule required"
                                                    + " username=\"a\" password=\"S\"im-Abc123\";"))))
                    .isInstanceOf(RelayStartException.class)
                    .hasMessageContaining("in JAAS config. Nothing is delivered")
                    .hasMessageNotContaining("Abc123");
            assertThat(log.lines()).isEmpty();
        }
    }

    @Test
    void a_missing_folder_of_routes_is_reported_at_start() {
        assertThatThrownBy(() -> Relay.start(database.settingsWithRoutes(routes.resolve("none"), Map.of())))
                .isInstanceOf(RelayStartException.class)
                .hasMessageContaining("the folder does not exist: " + routes.resolve("none"));
    }
}
