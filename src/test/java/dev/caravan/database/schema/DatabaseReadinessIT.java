package dev.caravan.database.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.TestPostgres;
import dev.caravan.WrittenLog;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Database;
import dev.caravan.database.DatabaseFailure;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

class DatabaseReadinessIT {

    @Test
    void an_unavailable_database_is_waited_for_with_growing_delays() throws Exception {
        TestOutbox database = TestOutbox.create();
        PGSimpleDataSource source = (PGSimpleDataSource) database.unpooled();
        int[] port = source.getPortNumbers();
        source.setPortNumbers(new int[] {1});
        List<Integer> delays = new ArrayList<>();

        new DatabaseReadiness(source, false, seconds -> {
                    delays.add(seconds);
                    if (delays.size() == 7) {
                        source.setPortNumbers(port);
                    }
                })
                .await();

        assertThat(delays).containsExactly(1, 2, 4, 8, 10, 10, 10);
    }

    @Test
    void missing_tables_end_the_start_with_all_problems() throws Exception {
        TestOutbox database = TestOutbox.withoutTables();

        assertThatThrownBy(() -> gate(database, false).await())
                .isInstanceOf(DatabaseNotReady.class)
                .hasMessageContainingAll("outbox_subscription", "outbox_idempotent", "./caravan schema apply");
    }

    @Test
    void missing_tables_are_created_if_the_settings_allow_it() throws Exception {
        TestOutbox database = TestOutbox.withoutTables();

        gate(database, true).await();

        assertThat(database.text("select to_regclass('outbox')")).isEqualTo("outbox");
    }

    @Test
    void a_cached_sequence_and_a_missing_right_are_reported_together() throws Exception {
        TestOutbox database = TestOutbox.create();
        database.execute("alter sequence outbox_id_seq cache 20; revoke select on outbox_sleeper from public");

        assertThatThrownBy(() -> gate(database, false).await())
                .isInstanceOf(DatabaseNotReady.class)
                .hasMessageContainingAll("CACHE 20", "Role public lacks select");
    }

    /** Every role that may insert can choose an id, and would stop all subscriptions. Nothing is lost by such a row. */
    @Test
    void a_message_with_an_id_above_the_sequence_is_reported_and_prevents_no_start() throws Exception {
        TestOutbox database = TestOutbox.create();
        database.execute("insert into outbox (id, aggregate_type, aggregate_id, type) overriding system value"
                + " values (9223372036854775807, 'order', 'a', 'order.created')");
        try (WrittenLog log = WrittenLog.of(DatabaseReadiness.class)) {
            gate(database, false).await();

            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .contains(
                            "is at 0 but the outbox contains id 9223372036854775807",
                            "delete from outbox where id = 9223372036854775807");
        }
    }

    /** Applications cannot write these rows. A new message with such an id that fails would not be stored. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at, blocked,"
                        + " next_attempt_at) values ('email', 10, gen_random_uuid(), 'order', 'a', 'x', now(), false, now())",
                "insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at, attempts,"
                        + " first_failed_at, last_failed_at, error_class, error_text, error_stack)"
                        + " values ('email', 10, gen_random_uuid(), 'order', 'a', 'x', now(), 1, now(), now(), 'e', 'e', '')"
            })
    void failed_messages_that_were_restored_without_the_sequence_end_the_start(String failed) throws Exception {
        TestOutbox database = TestOutbox.create();
        database.insert(9);
        database.execute(failed + "; " + failed.replace("'email', 10", "'crm', 9"));

        assertThatThrownBy(() -> gate(database, false).await())
                .isInstanceOf(DatabaseNotReady.class)
                .hasMessageContainingAll(
                        "Subscription email has", "ids up to 10", "is at 9", "setval('outbox_id_seq', 10)")
                .hasMessageNotContaining("crm");

        database.insert(1);
        gate(database, false).await();
    }

    @Test
    void a_role_that_does_not_exist_is_not_waited_for() throws Exception {
        var source = Database.unpooled(TestPostgres.server().url("postgres"), "nobody_here", "x");

        assertThatThrownBy(() -> new DatabaseReadiness(source, false, DatabaseReadinessIT::mustNotWait).await())
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("nobody_here");
    }

    @ParameterizedTest
    @CsvSource({
        "08001, true, caravan.db.url",
        "57P03, true, Could not connect",
        "57P04, true, Could not connect",
        "57P05, true, Could not connect",
        "25P03, true, Could not connect",
        "25P04, true, Could not connect",
        "53300, true, Could not connect",
        "28P01, false, DB_PASSWORD",
        "28000, false, DB_USER",
        "3D000, false, DB_URL",
        "42P01, false, ./caravan schema apply",
        "42501, false, Grant the privilege",
        "22000, false, SQLSTATE 22000"
    })
    void each_refusal_says_what_to_do_and_whether_waiting_helps(String state, boolean waitingHelps, String advice) {
        var wrapped = new IllegalStateException(new SQLException("reason of the server", state));

        DatabaseFailure failure = DatabaseFailure.in(wrapped).orElseThrow();

        assertThat(failure.waitingHelps()).isEqualTo(waitingHelps);
        assertThat(failure.text()).contains("reason of the server", advice);
    }

    private static DatabaseReadiness gate(TestOutbox database, boolean applySchema) {
        return new DatabaseReadiness(database.dataSource(), applySchema, DatabaseReadinessIT::mustNotWait);
    }

    private static void mustNotWait(int seconds) {
        throw new AssertionError("waited " + seconds + " s where waiting does not help");
    }
}
