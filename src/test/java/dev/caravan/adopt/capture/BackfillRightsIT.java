package dev.caravan.adopt.capture;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.clock.Clock;
import dev.caravan.camel.outbox.HookedStatement;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.operate.audit.Actor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

/** A role that may change the captured table, or create in the schema of the outbox, changes it while a backfill runs. */
class BackfillRightsIT {
    private static final String ORDERS = """
            table: shop.orders
            aggregate-type: order
            events:
              - {on: insert, type: order.created}
            """;

    @TempDir
    Path folder;

    private TestOutbox database;
    private String shop;

    @BeforeEach
    void create() throws Exception {
        database = TestOutbox.create();
        shop = database.role("shop");
        // a sequence, because the statements that follow may fail and undo all others
        database.execute(
                "create schema shop authorization " + shop + "; create sequence runs; grant usage on runs to public;"
                        + " grant usage on schema public to " + shop + "; grant insert on outbox to " + shop);
        asShop(
                "create table shop.orders (id bigint primary key); insert into shop.orders select generate_series(1, 10)");
        asShop("create function shop.go(text) returns boolean immutable language plpgsql as 'begin"
                + " if current_user <> ''" + shop
                + "'' then perform nextval(''public.runs''); end if; return true; end'");
    }

    @AfterEach
    void close() throws Exception {
        assertThat(database.jdbc().queryForObject("select is_called from runs", Boolean.class))
                .as("whether a function of another role ran with the rights of the backfill")
                .isFalse();
        database.close();
    }

    private void asShop(String sql) {
        new JdbcTemplate(database.unpooledAs(shop, TestOutbox.PASSWORD_OF_ROLES)).execute(sql);
    }

    private Backfill backfill(DataSource dataSource) throws Exception {
        return BackfillFixture.backfill(dataSource, Files.writeString(folder.resolve("orders.yaml"), ORDERS));
    }

    @Test
    void a_policy_of_the_table_runs_with_nobodys_rights_and_hides_no_row() throws Exception {
        String clerk = database.role("clerk");
        database.execute("grant usage, create on schema public to " + clerk + "; grant select, insert on outbox to "
                + clerk + "; grant select, insert, update on outbox_backfill to " + clerk);
        asShop("grant usage on schema shop to " + clerk + "; grant select, update, trigger on shop.orders to " + clerk);
        try (Backfill owners = backfill(database.dataSource());
                Backfill clerks = backfill(database.unpooledAs(clerk, TestOutbox.PASSWORD_OF_ROLES))) {
            owners.begin(false);
            assertThat(clerks.next(3).messages()).isEqualTo(3);
            asShop(
                    "create policy p on shop.orders using (shop.go(id::text)); alter table shop.orders enable row level security");

            assertThatThrownBy(() -> clerks.next(3)).hasMessageContaining("row-level security now hides rows");
        }
    }

    /** Nor between the check and the statements of a chunk. */
    @Test
    void the_owner_of_the_table_gives_it_no_index_and_no_statistics_during_a_chunk() throws Exception {
        try (Backfill backfill = backfill(database.dataSource());
                var change = database.begin()) {
            backfill.begin(false);
            change.run("update shop.orders set id = id where id = 1");
            var chunk = CompletableFuture.supplyAsync(() -> next(backfill));

            eventually(() -> assertThat(database.number("select count(*) from pg_locks where granted"
                            + " and relation = 'shop.orders'::regclass and mode = 'ShareUpdateExclusiveLock'"))
                    .isEqualTo(1));

            change.rollback();
            chunk.join();
        }
    }

    private static Backfill.Chunk next(Backfill backfill) {
        try {
            return backfill.next(3);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void the_owner_of_a_partition_runs_no_function_by_an_index_of_it() throws Exception {
        database.execute("create table shop.parts (id bigint primary key) partition by range (id)");
        asShop("create table shop.part (id bigint primary key); insert into shop.part values (1)");
        database.execute("alter table shop.parts attach partition shop.part default");
        asShop("create index on shop.part (id) where shop.go('')");

        assertThatThrownBy(() -> BackfillFixture.backfill(
                        database.dataSource(),
                        Files.writeString(folder.resolve("parts.yaml"), ORDERS.replace("shop.orders", "shop.parts"))))
                .hasMessageContaining("shop.go(text)", "with the rights of role postgres");
    }

    /** Creates a role that may create in the schema of the outbox, then runs a statement as superuser. */
    private String otherRole(String statement) throws SQLException {
        String role = database.role("evil");
        database.execute("grant usage, create on schema public to " + role + "; " + statement);
        return role;
    }

    private Path names() throws IOException {
        return Files.writeString(folder.resolve("names.yaml"), ORDERS.replace("shop.orders", "shop.names"));
    }

    /** Varchar has no operators of its own: one that somebody creates is an exact match. */
    @Test
    void an_operator_that_another_role_creates_beside_the_outbox_is_not_used() throws Exception {
        String evil = otherRole("create table shop.names (name varchar(9) primary key);"
                + " insert into shop.names values ('a'), ('b'), ('c')");
        Path file = names();
        try (Backfill backfill = BackfillFixture.backfill(database.dataSource(), file)) {
            backfill.begin(false);
            assertThat(backfill.next(1).messages()).isEqualTo(1);
            createOperator(evil, ">");

            finish(backfill);
            assertThat(backfill.messages()).isEqualTo(3);
        }
        Files.writeString(
                file, Files.readString(file).replace("order.created", "order.made, when: new.name > 'b'::varchar"));
        for (String owner : List.of(evil, "postgres")) {
            database.execute("alter operator public.> (varchar, varchar) owner to " + owner);
            assertThatThrownBy(() -> new Captures(database.dataSource()).apply(List.of(file)))
                    .as("the operator or its function is that of the other role")
                    .hasMessageContainingAll(
                            "operator >(character varying,character varying) of " + evil, "Nothing was changed");
        }
    }

    /** It exists only while the statement runs, which no look before finds. */
    @Test
    void an_operator_that_exists_between_the_look_and_the_statement_is_not_used() throws Exception {
        String evil = otherRole("create table shop.names (name varchar(9) primary key);"
                + " insert into shop.names values ('a'), ('b'), ('c')");
        Path file = names();
        var source = new HookedStatement(database.dataSource(), "database/foreign_code");
        source.before(connection -> dropOperator(evil, ">"));
        source.after(connection -> createOperator(evil, ">"));
        try (Backfill backfill = BackfillFixture.backfill(source, file)) {
            backfill.begin(false);
            finish(backfill);
            assertThat(backfill.messages()).isEqualTo(3);
        }
    }

    /** After the triggers were created and examined. */
    @Test
    void an_operator_that_appears_while_a_table_is_taken_over_is_not_used() throws Exception {
        String evil = otherRole("create table shop.mails (id bigint primary key,"
                + " state varchar(9) not null default 'new'); insert into shop.mails select generate_series(1, 3)");
        Path file = Files.writeString(folder.resolve("mails.yaml"), ORDERS.replace("shop.orders", "shop.mails") + """
                take-over:
                  subscription: mails
                  pending: state = 'new'
                  mark: state = 'sent'
                """);
        var source = new HookedStatement(database.dataSource(), "adopt/trigger_code");
        source.after(connection -> createOperator(evil, "="));

        assertThat(new TakeOvers(source, Clock.SYSTEM)
                        .finish(file, false, new Actor("anna", Optional.empty()))
                        .copied())
                .isEqualTo(3);

        assertThat(database.number("select count(*) from shop.mails where state::text = 'sent'::text"))
                .isEqualTo(3);
    }

    private static void finish(Backfill backfill) throws SQLException {
        for (int chunk = 0; !backfill.next(1).finished(); chunk++) {
            assertThat(chunk)
                    .as("with an operator that is always true it has no end")
                    .isLessThan(20);
        }
    }

    private void createOperator(String role, String name) {
        new JdbcTemplate(database.unpooledAs(role, TestOutbox.PASSWORD_OF_ROLES))
                .execute(("create or replace function public.run(varchar, varchar) returns boolean language plpgsql as"
                                + " 'begin perform nextval(''public.runs''); return true; end';"
                                + " drop operator if exists public.%1$s (varchar, varchar);"
                                + " create operator public.%1$s (leftarg = varchar, rightarg = varchar, function = public.run)")
                        .formatted(name));
    }

    /** Newer versions of Postgres lock an operator that a trigger uses. */
    private void dropOperator(String role, String name) throws SQLException {
        try (var connection =
                        database.unpooledAs(role, TestOutbox.PASSWORD_OF_ROLES).getConnection();
                var statement = connection.createStatement()) {
            statement.execute(
                    "set lock_timeout = '100ms'; drop operator if exists public." + name + " (varchar, varchar)");
        } catch (SQLException e) {
            assertThat(e.getSQLState()).isEqualTo("55P03");
        }
    }

    /** Postgres looks the operators of a condition up when it creates the trigger. */
    @Test
    void an_operator_that_existed_only_while_a_trigger_was_created_is_found() throws Exception {
        String evil = otherRole("create table shop.names (name varchar(9) primary key)");
        createOperator(evil, ">");
        Path file = Files.writeString(
                folder.resolve("names.yaml"),
                ORDERS.replace("shop.orders", "shop.names")
                        .replace("order.created", "order.created, when: new.name > 'b'::varchar"));
        var source = new HookedStatement(database.dataSource(), "adopt/trigger_code");
        source.before(connection -> dropOperator(evil, ">"));

        assertThatThrownBy(() -> new Captures(source).apply(List.of(file)))
                .hasMessageMatching(
                        "(?s).*conditions of its triggers would run operator .* of (a role that has dropped it|" + evil
                                + "), which they find .*Nothing was changed.*");

        assertThat(database.number("select count(*) from pg_trigger where tgrelid = 'shop.names'::regclass"))
                .isZero();
    }

    /** Their operators are looked up in the schema of the extension. */
    @Test
    void columns_with_operators_of_an_extension_are_refused_while_another_role_may_create_some() throws Exception {
        String evil = otherRole("create extension citext; create table shop.names (name citext primary key);"
                + " insert into shop.names values ('a'), ('B'), ('c')");
        Path file = names();
        try (Backfill backfill = BackfillFixture.backfill(database.dataSource(), file)) {
            backfill.begin(false);

            assertThatThrownBy(() -> backfill.next(1))
                    .hasMessageContainingAll(
                            "columns of shop.names have types of extensions (name)",
                            evil + " may create in schema public",
                            "revoke create on schema public from " + evil);
            database.execute("revoke create on schema public from " + evil);
            finish(backfill);
            assertThat(backfill.messages()).isEqualTo(3);
        }
    }

    @Test
    void a_condition_that_names_a_function_of_the_schema_is_refused_with_the_reason_while_another_role_may_create_one()
            throws Exception {
        String evil = otherRole("create function is_new(bigint) returns boolean immutable language sql return true");
        Path file = Files.writeString(
                folder.resolve("orders.yaml"), ORDERS + "backfill: {type: order.loaded, when: is_new(new.id)}\n");
        try (Backfill backfill = BackfillFixture.backfill(database.dataSource(), file)) {
            backfill.begin(false);

            assertThatThrownBy(() -> backfill.next(20))
                    .hasMessageContainingAll(
                            "function is_new(bigint) does not exist", evil + " may create in schema public");
        }
        Files.writeString(file, Files.readString(file).replace("is_new", "public.is_new"));
        try (Backfill backfill = BackfillFixture.backfill(database.dataSource(), file)) {
            backfill.begin(true);
            assertThat(backfill.next(20).messages()).isEqualTo(10);
        }
    }
}
