package dev.caravan.database.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.TestPostgres;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.DatabaseProblem;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

class SchemaCheckIT {

    @Test
    void a_new_schema_has_no_problem() throws SQLException {
        assertThat(problems(TestOutbox.create())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"LATIN1", "SQL_ASCII", "EUC_JP"})
    void a_database_with_another_encoding_is_refused_before_anything_is_created(String encoding) throws SQLException {
        DataSource database = TestPostgres.withEncoding(encoding);

        assertThat(new SchemaCheck(database).problems()).singleElement().satisfies(problem -> assertThat(problem.text())
                .contains("encoding " + encoding, "encoding 'UTF8'"));
        assertThatThrownBy(() -> new Schema(database).apply())
                .isInstanceOf(SchemaRefusal.class)
                .hasMessageContainingAll("encoding " + encoding, "Nothing was changed");
        assertThat(new JdbcTemplate(database)
                        .queryForObject("select count(*) from pg_class where relname ~ 'outbox'", Integer.class))
                .isZero();
    }

    @Test
    void all_missing_tables_are_named_with_one_command_that_creates_them() throws SQLException {
        assertThat(problems(TestOutbox.withoutTables()))
                .singleElement()
                .asString()
                .startsWith("Tables outbox, ")
                .contains("outbox_subscription", "outbox_relay", "outbox_retry", "outbox_dead_letter")
                .contains("outbox_idempotent")
                .endsWith(" do not exist in schema public. Create or upgrade the tables with: ./caravan schema apply");
    }

    @Test
    void a_table_in_another_schema_is_found() throws SQLException {
        TestOutbox database = TestOutbox.create();
        database.execute("create schema elsewhere; alter table outbox_idempotent set schema elsewhere");

        assertThat(problems(database)).singleElement().asString().contains("schema elsewhere", "caravan.schema");
    }

    @Test
    void missing_and_wrong_columns_are_named() throws SQLException {
        TestOutbox database = TestOutbox.create();
        database.execute("alter table outbox drop column headers; alter table outbox alter payload type jsonb;"
                + " alter table outbox_subscription drop column gaps");

        assertThat(problems(database))
                .singleElement()
                .asString()
                .contains("Column outbox.headers does not exist. Column outbox.payload is jsonb, must be json. ")
                .contains("Column outbox_subscription.gaps does not exist. Create or upgrade the tables");
    }

    /** GRANT ALL contains it. */
    @Test
    void a_role_that_may_create_triggers_on_the_tables_is_named() throws SQLException {
        TestOutbox database = TestOutbox.create();
        String app = database.role("app");
        String member = database.role("member");
        SchemaCheck check = new SchemaCheck(database.dataSource());
        database.execute("grant postgres to " + member + "; grant all on outbox to " + member
                + "; grant select, insert on" + " outbox to " + app);
        assertThat(check.triggersOfOthers()).isEmpty();

        database.execute("grant all on outbox, outbox_retry to " + app + "; grant trigger on outbox_audit to public");

        assertThat(check.triggersOfOthers())
                .extracting(DatabaseProblem::text)
                .satisfiesExactlyInAnyOrder(
                        text -> assertThat(text)
                                .contains("revoke trigger on public.outbox, public.outbox_retry from " + app),
                        text -> assertThat(text).contains("revoke trigger on public.outbox_audit from public"));
        assertThat(check.problems()).as("of a start").isEmpty();
    }

    /** A right on the outbox is not one on its partitions, which default privileges may give. */
    @Test
    void a_role_that_may_create_triggers_on_a_partition_or_on_the_history_of_migrations_is_named() throws SQLException {
        TestOutbox database = TestOutbox.create();
        String app = database.role("app");
        database.execute("grant trigger on outbox_from_0, outbox_schema_history to " + app);

        assertThat(new SchemaCheck(database.dataSource()).triggersOfOthers())
                .singleElement()
                .asString()
                .contains("revoke trigger on public.outbox_from_0, public.outbox_schema_history from " + app);
    }

    @Test
    void a_sequence_with_a_cache_is_refused() throws SQLException {
        TestOutbox database = TestOutbox.create();
        database.execute("alter sequence outbox_id_seq cache 20");

        assertThat(problems(database))
                .singleElement()
                .asString()
                .contains("CACHE 20", "must be 1", "alter sequence outbox_id_seq cache 1");
    }

    @Test
    void a_sequence_that_does_not_count_up_by_one_is_refused() throws SQLException {
        TestOutbox database = TestOutbox.create();
        database.execute("alter sequence outbox_id_seq increment by 2 cycle");

        assertThat(problems(database)).singleElement().asString().contains("increment by 1 no cycle");
    }

    @Test
    void ids_that_an_application_may_choose_are_refused() throws SQLException {
        TestOutbox database = TestOutbox.create();
        database.execute("alter table outbox alter id set generated by default");

        assertThat(problems(database)).singleElement().asString().contains("set generated always");
    }

    @Test
    void tables_without_the_column_of_binary_payloads_are_named() throws SQLException {
        TestOutbox database = TestOutbox.create();
        for (String table : List.of("outbox", "outbox_retry", "outbox_dead_letter")) {
            database.execute("alter table " + table + " drop column payload_bytes");
        }

        assertThat(problems(database))
                .singleElement()
                .asString()
                .contains("Column outbox.payload_bytes does not exist.", "outbox_retry.payload_bytes")
                .contains("outbox_dead_letter.payload_bytes", "tables with: ./caravan schema apply");
    }

    @Test
    void an_outbox_without_identity_and_partitions_is_refused_with_both_reasons() throws SQLException {
        TestOutbox database = TestOutbox.create();
        database.execute("drop table outbox; create table outbox (id bigint primary key, message_id uuid,"
                + " aggregate_type text, aggregate_id text, type text, headers jsonb, payload json,"
                + " payload_bytes bytea, created_at timestamptz)");

        assertThat(problems(database))
                .hasSize(2)
                .anySatisfy(problem -> assertThat(problem).contains("not partitioned"))
                .anySatisfy(problem -> assertThat(problem).contains("not GENERATED ALWAYS"));
    }

    @Test
    void a_truncated_outbox_that_counts_from_one_again_is_found_but_stops_no_relay() throws SQLException {
        TestOutbox database = TestOutbox.create();
        database.insert(10);
        database.execute("insert into outbox_subscription (name, position) values ('orders-to-kafka', 10)");
        assertThat(problems(database)).isEmpty();

        database.execute("truncate outbox restart identity");

        assertThat(problems(database)).isEmpty();
        assertThat(new SchemaCheck(database.dataSource()).positionsAhead())
                .singleElement()
                .extracting(DatabaseProblem::text)
                .asString()
                .contains("orders-to-kafka is at position 10", "is at 0", "resume orders-to-kafka --after ID");
    }

    @Test
    void a_restored_sequence_behind_the_messages_is_refused() throws SQLException {
        TestOutbox database = TestOutbox.create();
        database.insert(10);
        database.execute("select setval('outbox_id_seq', 4)");

        assertThat(problems(database))
                .singleElement()
                .asString()
                .contains("is at 4", "contains id 10", "setval('outbox_id_seq', 10)");
    }

    @Test
    void applications_may_insert_and_relays_may_work_meanwhile() throws Exception {
        TestOutbox database = TestOutbox.create();
        database.execute("insert into outbox_subscription (name, position) values ('orders', 0)");
        AtomicBoolean over = new AtomicBoolean();
        Thread application = new Thread(() -> insertAndPass(database, over));
        application.start();
        try {
            for (int i = 0; i < 60; i++) {
                assertThat(problems(database)).isEmpty();
            }
        } finally {
            over.set(true);
            application.join();
        }
    }

    private static void insertAndPass(TestOutbox database, AtomicBoolean over) {
        try (var connection = database.unpooled().getConnection();
                var statement = connection.createStatement()) {
            while (!over.get()) {
                statement.execute("insert into outbox (aggregate_type, aggregate_id, type) values ('order', 'a', 'x')");
                statement.execute("update outbox_subscription set position = (select max(id) from outbox)");
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void all_missing_privileges_are_reported_at_once() throws SQLException {
        TestOutbox database = TestOutbox.create();
        database.execute("create role " + database.database()
                + "_weak login password 'weak'; grant select on outbox_subscription to " + database.database()
                + "_weak");

        assertThat(problems(new SchemaCheck(database.unpooledAs(database.database() + "_weak", "weak"))))
                .hasSize(11)
                .anySatisfy(problem -> assertThat(problem).contains("lacks select on outbox,"))
                .anySatisfy(problem -> assertThat(problem).contains("lacks update, insert on outbox_subscription"))
                .anySatisfy(problem ->
                        assertThat(problem).contains("lacks update, select, insert, delete on outbox_retry,"))
                .anySatisfy(problem -> assertThat(problem).contains("lacks select, insert on outbox_dead_letter,"))
                .anySatisfy(
                        problem -> assertThat(problem).contains("lacks select, insert, delete on outbox_idempotent"))
                .anySatisfy(problem -> assertThat(problem).contains("grant select on sequence outbox_id_seq"));
    }

    @Test
    void a_table_of_which_rows_may_be_hidden_from_the_role_is_reported() throws SQLException {
        TestOutbox database = TestOutbox.create();
        String relay = database.roleWithGrants();
        database.execute("alter table outbox enable row level security");
        SchemaCheck check = new SchemaCheck(database.unpooledAs(relay, TestOutbox.PASSWORD_OF_ROLES));

        assertThat(problems(check)).singleElement().satisfies(problem -> assertThat(problem)
                .contains("Row-level security of outbox may hide rows", "alter role " + relay + " bypassrls"));

        database.execute("alter role " + relay + " bypassrls");
        assertThat(problems(check)).isEmpty();
    }

    /** Before version 17 Postgres would refuse the inserts of applications. */
    @Test
    void a_read_that_is_refused_to_applications_is_reported() throws SQLException {
        TestOutbox database = TestOutbox.create();
        database.execute("revoke select on sequence outbox_sleeper from public");

        assertThat(problems(new SchemaCheck(database.dataSource())))
                .singleElement()
                .asString()
                .contains("grant select on outbox_sleeper to public");
    }

    @Test
    void a_role_with_the_named_grants_has_no_problem() throws SQLException {
        TestOutbox database = TestOutbox.create();
        String role = database.roleWithGrants();

        assertThat(problems(new SchemaCheck(database.unpooledAs(role, TestOutbox.PASSWORD_OF_ROLES))))
                .isEmpty();
    }

    private static List<String> problems(TestOutbox database) throws SQLException {
        return problems(new SchemaCheck(database.dataSource()));
    }

    private static List<String> problems(SchemaCheck check) throws SQLException {
        return check.problems().stream().map(DatabaseProblem::text).toList();
    }
}
