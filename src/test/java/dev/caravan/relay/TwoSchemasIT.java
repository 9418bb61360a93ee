package dev.caravan.relay;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.settings.Settings;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Database;
import dev.caravan.database.Sql;
import dev.caravan.database.schema.Schema;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.subscription.Subscriptions;
import dev.caravan.operate.watch.OutboxSurvey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

/** Two Caravans in two schemas of one database, beside an outbox of another program. */
class TwoSchemasIT {
    private static final String ONE = "one";
    private static final String TWO = "Caravan Two";
    private static final String ROUTE = """
            - route:
                id: orders
                from:
                  uri: outbox:orders
                  steps:
                    - to:
                        uri: sql:insert into arrived (relay, key) values ('%s', :#${header.aggregate-id})
                        parameters:
                          dataSource: "#dataSource"
            """;

    @TempDir
    private Path folder;

    private final TestOutbox database = TestOutbox.withoutTables();

    @BeforeEach
    void createTables() throws Exception {
        database.execute("create table outbox (id uuid primary key, aggregatetype text);"
                + " create table arrived (relay text, key text)");
        for (String schema : List.of(ONE, TWO)) {
            new Schema(Database.forMigrations(settings(schema))).apply();
        }
    }

    @Test
    void each_relay_delivers_the_messages_of_its_schema_and_only_its_own_pauses_stop_it() throws Exception {
        try (Relay one = start(ONE);
                Relay two = start(TWO)) {
            insert(ONE, "a");
            insert(TWO, "b");
            eventually(() -> assertThat(arrived()).containsExactlyInAnyOrder(ONE + " a", TWO + " b"));
            assertThat(relays()).containsExactly(ONE + " 1", TWO + " 1");

            new Subscriptions(Database.forCommand(settings(ONE))).pause("orders", new Actor("test", Optional.empty()));
            insert(ONE, "c");
            insert(TWO, "d");
            insert(TWO, "e");

            eventually(() -> assertThat(arrived()).contains(TWO + " d", TWO + " e"));
            eventually(() -> assertThat(paused(ONE)).isTrue());
            assertThat(paused(TWO)).isFalse();
            two.close();
            eventually(() -> assertThat(relays()).containsExactly(ONE + " 0", TWO + " 0"));
        }
    }

    /** How many relays work on each outbox, seen from the first one. */
    private List<String> relays() throws Exception {
        return OutboxSurvey.once(Database.forCommand(settings(ONE))).stream()
                .map(status -> status.outbox().schema() + " "
                        + status.seen().orElseThrow().relays().size())
                .toList();
    }

    @Test
    void neither_holds_a_lock_that_the_other_needs() throws Exception {
        try (Connection one = Database.forCommand(settings(ONE)).getConnection();
                Connection two = Database.forCommand(settings(TWO)).getConnection()) {
            for (String lock : List.of("operate/lock_changes", "operate/lock_partitions")) {
                one.setAutoCommit(false);
                assertThat(isTrue(one, lock)).isTrue();
                assertThat(isTrue(two, lock)).isTrue();
            }
        }
    }

    /** A role may have a schema of its own, which is first in the search_path by default. */
    @Test
    void neither_the_search_path_of_the_role_nor_its_own_schema_matters() throws Exception {
        String role = database.role("owner");
        database.execute("create schema " + role + " authorization " + role + "; create table " + role
                + ".outbox_subscription (decoy int); grant usage on schema one to " + role
                + "; grant all on all tables in schema one to " + role + "; alter role " + role
                + " set search_path = " + role + ", \"" + TWO + "\"");
        Settings settings = database.settings(Map.of(
                "caravan.schema", ONE, "caravan.db.user", role, "caravan.db.password", TestOutbox.PASSWORD_OF_ROLES));

        assertThat(new Subscriptions(Database.forCommand(settings)).names()).isEmpty();
        try (var routes = Database.routesPool(settings)) {
            assertThat(new JdbcTemplate(routes).queryForObject("show search_path", String.class))
                    .isEqualTo("one, " + role + ", \"" + TWO + "\"");
        }
    }

    private Relay start(String schema) throws Exception {
        Path routes = Files.createDirectory(folder.resolve(schema));
        Files.writeString(routes.resolve("orders.camel.yaml"), ROUTE.formatted(schema));
        return Relay.start(database.settingsWithRoutes(
                routes, Map.of("caravan.schema", schema, "camel.management.enabled", "false")));
    }

    private Settings settings(String schema) {
        return database.settings(Map.of("caravan.schema", schema));
    }

    private void insert(String schema, String key) throws Exception {
        database.execute("insert into \"" + schema + "\".outbox (aggregate_type, aggregate_id, type) values ('order', '"
                + key + "', 'order.created')");
    }

    private List<String> arrived() {
        return database.jdbc().queryForList("select relay || ' ' || key from arrived", String.class);
    }

    private boolean paused(String schema) throws Exception {
        return database.text("select paused from \"" + schema + "\".outbox_subscription")
                .equals("t");
    }

    private static boolean isTrue(Connection connection, String file) throws Exception {
        return Sql.file(file).first(connection, row -> row.getBoolean(1)).orElseThrow();
    }
}
