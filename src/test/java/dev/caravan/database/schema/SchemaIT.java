package dev.caravan.database.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Database;
import dev.caravan.database.DatabaseProblem;
import dev.caravan.database.OutboxSchema;
import dev.caravan.database.Sql;
import dev.caravan.database.SqlFile;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

class SchemaIT {
    private static final long LOCK_OF_FLYWAY = 77431708279161L + "\"public\".\"outbox_schema_history\"".hashCode();

    @Test
    void an_empty_database_gets_all_migrations_once() throws SQLException {
        TestOutbox database = TestOutbox.withoutTables();

        assertThat(apply(database)).isEqualTo(Schema.MIGRATIONS.size());
        assertThat(apply(database)).isZero();
    }

    @Test
    void the_version_is_the_number_of_the_last_migration() {
        assertThat(Schema.MIGRATIONS.get(Schema.MIGRATIONS.size() - 1))
                .startsWith("V" + SchemaVersion.OF_THIS_PROGRAM + "__");
    }

    @Test
    void tables_of_a_newer_version_are_left_as_they_are() throws SQLException {
        TestOutbox database = TestOutbox.create();
        assertThat(SchemaVersion.noteOfNewer(database.dataSource())).isEmpty();
        nextMigration(database);

        assertThat(apply(database)).isZero();
        assertThat(SchemaVersion.noteOfNewer(database.dataSource()))
                .hasValueSatisfying(note -> assertThat(note).contains("schema version 7"));
    }

    @Test
    void the_check_of_the_tables_knows_every_column_that_the_migrations_create() throws Exception {
        TestOutbox database = TestOutbox.create();
        String check = SqlFile.file("database/check_tables");

        try (var connection = database.unpooled().getConnection();
                var columns = connection
                        .createStatement()
                        .executeQuery("select table_name, column_name from information_schema.columns"
                                + " where table_schema = current_schema() and table_name not like '%history'"
                                + " and table_name not like 'outbox_from_%' and table_name <> 'outbox_default'")) {
            while (columns.next()) {
                assertThat(check)
                        .as("%s.%s", columns.getString(1), columns.getString(2))
                        .contains("('" + columns.getString(1) + "', '" + columns.getString(2) + "', ");
            }
        }
    }

    /** Migrations write into the table, and its triggers run with the rights of the role that migrates. */
    @Test
    void a_history_of_migrations_of_another_role_is_not_used() throws SQLException {
        TestOutbox database = TestOutbox.withoutTables();
        assertThat(apply(database)).isEqualTo(Schema.MIGRATIONS.size());
        database.execute("create table kept as select * from outbox_schema_history; drop table outbox_schema_history");
        String evil = database.role("evil");
        database.execute("grant create on schema public to " + evil + "; grant select on kept to " + evil);
        new JdbcTemplate(database.unpooledAs(evil, TestOutbox.PASSWORD_OF_ROLES))
                .execute("create table outbox_schema_history as select * from kept");

        assertThatThrownBy(() -> apply(database))
                .isInstanceOf(SchemaRefusal.class)
                .hasMessageContainingAll("outbox_schema_history belongs to " + evil, "Nothing was changed");
    }

    /** Tables that another migration tool has created have no history, and every start of a relay asks for it. */
    @Test
    void a_history_of_migrations_of_another_role_is_not_read() throws SQLException {
        TestOutbox database = TestOutbox.create();
        String evil = database.role("evil");
        database.execute("drop table outbox_schema_history; create table evidence (who text);"
                + " grant insert on evidence to public; grant create on schema public to " + evil);
        new JdbcTemplate(database.unpooledAs(evil, TestOutbox.PASSWORD_OF_ROLES))
                .execute("create function go() returns varchar language plpgsql as"
                        + " 'begin insert into public.evidence values (current_user); return ''2''; end';"
                        + " create view outbox_schema_history as select go() as version, true as success;"
                        + " grant select on outbox_schema_history to public");

        assertThat(SchemaVersion.noteOfNewer(database.dataSource())).isEmpty();

        assertThat(database.number("select count(*) from evidence")).isZero();
        assertThat(new SchemaCheck(database.dataSource()).triggersOfOthers())
                .asString()
                .contains("Role " + evil + " owns table public.outbox_schema_history");
    }

    @Test
    void a_history_of_migrations_of_another_role_is_not_used_in_an_empty_schema() throws SQLException {
        TestOutbox database = TestOutbox.withoutTables();
        String evil = database.role("evil");
        database.execute("create table evidence (who text); grant insert on evidence to public;"
                + " grant create on schema public to " + evil);
        var roles = new JdbcTemplate(database.unpooledAs(evil, TestOutbox.PASSWORD_OF_ROLES));
        roles.execute("create table outbox_schema_history (installed_rank int primary key, version varchar(50),"
                + " description varchar(200), type varchar(20), script varchar(1000), checksum integer,"
                + " installed_by varchar(100), installed_on timestamp default now(), execution_time integer, success boolean);"
                + " grant all on outbox_schema_history to public");
        roles.execute("create function evil() returns trigger language plpgsql as"
                + " 'begin insert into public.evidence values (current_user); return new; end'");
        roles.execute(
                "create trigger evil before insert on outbox_schema_history for each row execute function evil()");

        assertThatThrownBy(() -> apply(database))
                .isInstanceOf(SchemaRefusal.class)
                .hasMessageContaining(evil);
        assertThat(database.number("select count(*) from evidence")).isZero();
    }

    /** The migration library compares names with texts. An operator for exactly these types comes before those of Postgres. */
    @Test
    void an_operator_of_another_role_is_not_used_by_the_migrations() throws SQLException {
        TestOutbox database = TestOutbox.withoutTables();
        String evil = database.role("evil");
        database.execute("create table evidence (who text); grant insert on evidence to public;"
                + " grant create on schema public to " + evil);
        new JdbcTemplate(database.unpooledAs(evil, TestOutbox.PASSWORD_OF_ROLES))
                .execute("create function same(name, varchar) returns boolean language plpgsql as"
                        + " 'begin insert into public.evidence values (current_user); return true; end';"
                        + " create operator public.= (leftarg = name, rightarg = varchar, function = same)");

        assertThatThrownBy(() -> apply(database))
                .isInstanceOf(SchemaRefusal.class)
                .hasMessageContainingAll("operator =(name,character varying)", evil, "Nothing was changed");
        assertThat(database.number("select count(*) from evidence")).isZero();
    }

    /** A role that may create in the schema can create a whole outbox, and own it. */
    @Test
    void an_operator_of_the_owner_of_an_outbox_is_not_used_by_a_superuser() throws SQLException {
        TestOutbox database = TestOutbox.withoutTables();
        String evil = database.role("evil");
        database.execute("create table evidence (who text); grant insert on evidence to public;"
                + " grant create on schema public to " + evil);
        var asEvil = database.unpooledAs(evil, TestOutbox.PASSWORD_OF_ROLES);
        new Schema(asEvil).apply();
        new JdbcTemplate(asEvil)
                .execute("create function same(name, varchar) returns boolean language plpgsql as"
                        + " 'begin insert into public.evidence values (current_user); return true; end';"
                        + " create operator public.= (leftarg = name, rightarg = varchar, function = same)");

        assertThatThrownBy(() -> apply(database))
                .isInstanceOf(SchemaRefusal.class)
                .hasMessageContainingAll("operator =(name,character varying)", evil, "Nothing was changed");

        assertThat(database.number("select count(*) from evidence")).isZero();
        assertThat(new SchemaCheck(database.dataSource()).adviceOnOwner())
                .hasValueSatisfying(
                        advice -> assertThat(advice).contains("belong to role " + evil, "apply as " + evil));
    }

    /** Every role that can connect can hold them. */
    @Test
    void a_session_that_holds_the_locks_of_migrations_stops_no_start_with_complete_tables() throws SQLException {
        TestOutbox database = TestOutbox.create();
        String evil = database.role("evil");
        Schema schema = new Schema(Database.forMigrations(database.settings(Map.of())));
        try (var connection =
                        database.unpooledAs(evil, TestOutbox.PASSWORD_OF_ROLES).getConnection();
                var statement = connection.createStatement()) {
            statement.execute("select pg_advisory_lock(hashtextextended('caravan schema public', 0)),"
                    + " pg_advisory_lock(" + LOCK_OF_FLYWAY + ")");

            assertThat(assertTimeoutPreemptively(Duration.ofSeconds(30), schema::apply))
                    .isZero();
            assertThat(Sql.file("database/schema_lock_holder")
                            .query(Database.forMigrations(database.settings(Map.of())), row -> row.getString("name")))
                    .singleElement()
                    .asString()
                    .contains("user " + evil);
        }
    }

    @Test
    void tables_created_from_the_printed_script_are_accepted_as_they_are() throws SQLException {
        TestOutbox database = TestOutbox.withoutTables();
        database.execute(Schema.print(OutboxSchema.PUBLIC));

        assertThat(apply(database)).isZero();
        assertThat(new SchemaCheck(database.dataSource()).problems()).isEmpty();
    }

    @Test
    @Tag("long")
    void the_script_for_a_schema_makes_its_tables_there_and_nothing_elsewhere() throws SQLException {
        TestOutbox database = TestOutbox.withoutTables();
        database.execute(Schema.print(new OutboxSchema("Caravan ä 1")));

        DataSource there = migrations(database, "Caravan ä 1");
        assertThat(new Schema(there).apply()).isZero();
        assertThat(new SchemaCheck(there).problems()).isEmpty();
        assertThat(database.number("select count(*) from pg_class where relnamespace = 'public'::regnamespace"))
                .isZero();
    }

    @Test
    @Tag("long")
    void a_schema_with_other_tables_gets_all_migrations() throws SQLException {
        TestOutbox database = TestOutbox.withoutTables();
        database.execute("create table bookings (id bigint primary key); create table flyway_schema_history (id int)");

        assertThat(apply(database)).isEqualTo(Schema.MIGRATIONS.size());
        assertThat(new SchemaCheck(database.dataSource()).problems()).isEmpty();
    }

    @Test
    void an_outbox_of_another_program_is_refused_and_left_as_it_is() throws SQLException {
        TestOutbox database = debezium();

        assertThatThrownBy(() -> apply(database))
                .isInstanceOf(SchemaRefusal.class)
                .hasMessageContaining("Schema public has a table outbox of another program")
                .hasMessageContaining("Set caravan.schema (CARAVAN_SCHEMA) to another schema")
                .hasMessageContaining("Nothing was changed");
        assertThat(database.text("select string_agg(relname, ' ') from pg_class"
                        + " where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')"))
                .isEqualTo("outbox");
        assertThat(new SchemaCheck(database.dataSource()).problems())
                .singleElement()
                .extracting(DatabaseProblem::text)
                .asString()
                .contains("a table outbox of another program", "CARAVAN_SCHEMA");
    }

    @Test
    void tables_can_be_in_another_schema_beside_an_outbox_of_another_program() throws SQLException {
        TestOutbox database = debezium();
        DataSource there = migrations(database, "caravan");

        assertThat(new Schema(there).apply()).isEqualTo(Schema.MIGRATIONS.size());
        assertThat(new Schema(there).apply()).isZero();
        assertThat(new SchemaCheck(there).problems()).isEmpty();
        assertThat(database.text(
                        "select attname from pg_attribute where attrelid = 'public.outbox'::regclass and attnum = 2"))
                .isEqualTo("aggregatetype");
    }

    @Test
    void incomplete_tables_of_another_migration_tool_are_not_accepted() throws SQLException {
        TestOutbox database = TestOutbox.withoutTables();
        database.execute(Schema.print(OutboxSchema.PUBLIC) + "; drop table outbox_retry");

        assertThatThrownBy(() -> apply(database))
                .isInstanceOf(SchemaRefusal.class)
                .hasMessageContaining("Table outbox_retry does not exist in schema public")
                .hasMessageContaining("./caravan schema print");
        assertThat(database.text("select to_regclass('outbox_schema_history')")).isNull();
    }

    /** The check advises to apply the schema, so the command must not report only that all is up to date. */
    @Test
    void a_table_that_was_dropped_after_its_migration_is_reported() throws SQLException {
        TestOutbox database = TestOutbox.create();
        database.execute("drop table outbox_audit, outbox_idempotent");

        assertThatThrownBy(() -> apply(database))
                .isInstanceOf(SchemaRefusal.class)
                .hasMessageContaining("but the migrations in outbox_schema_history were applied")
                .hasMessageContaining("Table outbox_idempotent does not exist");
    }

    private static void nextMigration(TestOutbox database) throws SQLException {
        database.execute(
                "insert into outbox_schema_history (installed_rank, version, description, type, script, checksum,"
                        + " installed_by, execution_time, success)"
                        + " values (2, '7', 'next', 'SQL', 'V7__next.sql', 1, 'owner', 1, true)");
    }

    private static TestOutbox debezium() throws SQLException {
        TestOutbox database = TestOutbox.withoutTables();
        database.execute("create table outbox (id uuid primary key, aggregatetype varchar(255) not null,"
                + " aggregateid varchar(255) not null, type varchar(255) not null, payload jsonb)");
        return database;
    }

    private static DataSource migrations(TestOutbox database, String schema) {
        return Database.forMigrations(database.settings(Map.of("caravan.schema", schema)));
    }

    private static int apply(TestOutbox database) throws SQLException {
        return new Schema(database.dataSource()).apply();
    }
}
