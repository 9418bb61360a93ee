package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.PgBouncer;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Database;
import dev.caravan.database.SharedSessions;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PgBouncerIT {
    private static final String REFUSED =
            "points to a connection pooler that assigns each transaction to another session (PgBouncer with pool_mode = transaction)";

    @TempDir
    Path folder;

    private final TestOutbox database;

    PgBouncerIT() throws Exception {
        database = TestOutbox.create();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?prepareThreshold=0"})
    void a_pool_per_transaction_is_refused_by_check_and_run(String options) throws Exception {
        RoutesFixture.write(folder, "orders", "outbox:orders", "log:orders");
        try (PgBouncer pooler = PgBouncer.start("transaction")) {
            String config = CommandRun.config(
                    folder, pooler.url(database.database()) + options, "postgres", "caravan.routes=" + folder);

            CommandRun check = CommandRun.of("check", "--config", config);
            CommandRun run = CommandRun.of("run", "--config", config);

            check.assertEnded(1, REFUSED, "pool_mode = session");
            run.assertFailed(REFUSED, "Nothing was started");
        }
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"server_round_robin = 0", "server_round_robin = 1"})
    void a_pool_per_transaction_is_found_whichever_of_many_idle_sessions_it_lends(String policy) throws Exception {
        try (PgBouncer pooler = PgBouncer.start("transaction", policy, "min_pool_size = 8")) {
            var source = Database.unpooled(pooler.url(database.database()), "postgres", "");
            for (int i = 0; i < 10; i++) {
                assertThat(new SharedSessions(source).problem()).isPresent();
            }
        }
    }

    @Test
    @Tag("long")
    void a_pool_of_one_session_is_found() throws Exception {
        try (PgBouncer pooler = PgBouncer.start("transaction", "default_pool_size = 1")) {
            var source = Database.unpooled(pooler.url(database.database()), "postgres", "");

            assertThat(new SharedSessions(source).problem()).isPresent();
        }
    }

    @Test
    void a_pool_per_session_and_a_direct_connection_pass() throws Exception {
        try (PgBouncer pooler = PgBouncer.start("session")) {
            var source = Database.unpooled(pooler.url(database.database()), "postgres", "");

            assertThat(new SharedSessions(source).problem()).isEmpty();
            assertThat(new SharedSessions(database.dataSource()).problem()).isEmpty();
        }
    }
}
