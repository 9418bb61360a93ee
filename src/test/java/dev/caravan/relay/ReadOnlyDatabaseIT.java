package dev.caravan.relay;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import dev.caravan.base.settings.Settings;
import dev.caravan.camel.outbox.TestOutbox;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadOnlyDatabaseIT {
    private static final String READ_ONLY = "read-only transaction";

    @Test
    void a_database_that_becomes_read_only_is_reported_once_and_work_continues_when_it_is_writable(@TempDir Path routes)
            throws Exception {
        Files.writeString(routes.resolve("orders.camel.yaml"), """
                - route:
                    id: orders
                    from:
                      uri: outbox:orders
                      steps:
                        - log: {message: x}
                """);
        try (WrittenLog warnings = WrittenLog.warnings();
                TestOutbox database = TestOutbox.create();
                Relay relay = Relay.start(database.settingsWithRoutes(routes, Map.of()))) {
            assertThat(relay.context().getRoutes()).isNotEmpty();
            long first = database.insert("a");
            eventually(() -> assertThat(database.passed("orders", first)).isTrue());
            String name = database.text("select current_database()");
            database.execute("alter database " + name + " set default_transaction_read_only = on");
            database.cutConnectionsOfRelays();
            long before = refused(database);
            eventually(() -> assertThat(refused(database)).isGreaterThan(before + 5));

            assertThat(warnings.lines())
                    .filteredOn(line -> line.contains("marked as broken"))
                    .isEmpty();
            // one of the read for all, and one of the subscription for each kind of statement
            assertThat(warnings.lines())
                    .filteredOn(line -> line.contains(READ_ONLY))
                    .hasSizeBetween(1, 4)
                    .doesNotHaveDuplicates();

            database.execute("alter database " + name + " set default_transaction_read_only = off");
            long second = database.insert("a");
            eventually(() -> assertThat(database.passed("orders", second)).isTrue());
        }
    }

    /** As behind an address that now leads to the promoted server: only sessions that begin later can write. */
    @Test
    void a_step_finds_another_database_again_that_was_read_only(@TempDir Path routes) throws Exception {
        Files.writeString(routes.resolve("orders.camel.yaml"), """
                - route:
                    id: orders
                    from:
                      uri: outbox:orders
                      steps:
                        - to: {uri: "sql:insert into arrived values (:#id)", parameters: {dataSource: "#bean:warehouse"}}
                """);
        try (TestOutbox warehouse = TestOutbox.create();
                TestOutbox database = TestOutbox.create()) {
            warehouse.execute("create table arrived (id text)");
            String name = warehouse.text("select current_database()");
            warehouse.execute("alter database " + name + " set default_transaction_read_only = on");
            Settings ofWarehouse = warehouse.settings(Map.of());
            Map<String, String> settings = Map.of(
                    "camel.beans.warehouse",
                    "#class:com.zaxxer.hikari.HikariDataSource",
                    "camel.beans.warehouse.jdbcUrl",
                    ofWarehouse.text("caravan.db.url", ""),
                    "camel.beans.warehouse.username",
                    ofWarehouse.text("caravan.db.user", ""),
                    "camel.beans.warehouse.password",
                    ofWarehouse.text("caravan.db.password", ""));
            try (WrittenLog warnings = WrittenLog.warnings();
                    Relay relay = Relay.start(database.settingsWithRoutes(routes, settings))) {
                long id = database.insert("a");
                eventually(() -> assertThat(warnings.lines()).anyMatch(line -> line.contains(READ_ONLY)));
                assertThat(database.passed("orders", id)).isFalse();

                warehouse.execute("alter database " + name + " set default_transaction_read_only = off");

                eventually(() -> assertThat(database.passed("orders", id)).isTrue());
                assertThat(database.number("select count(*) from outbox_retry")).isZero();
            }
        }
    }

    private static long refused(TestOutbox database) {
        return database.number("select xact_rollback from pg_stat_database where datname = current_database()");
    }
}
