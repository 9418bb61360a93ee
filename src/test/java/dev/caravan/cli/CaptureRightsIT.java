package dev.caravan.cli;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.adopt.capture.Captures;
import dev.caravan.camel.outbox.TestOutbox;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/** The owner of a captured table can write casts of its types. Whoever evaluates an expression on its rows runs them. */
class CaptureRightsIT extends CaptureCommands {
    private static final String CAPTURE = """
            table: shop.orders
            aggregate-type: order
            events:
              - {on: insert, type: order.created}
            """;

    private static final String TAKE_OVER = """
            table: public.emails
            aggregate-type: email
            events:
              - {on: insert, type: email.wanted}
            take-over:
              subscription: email
              pending: not sent
              mark: sent = true
            """;

    private String shop;

    CaptureRightsIT() {
        super("select 1");
    }

    @BeforeEach
    void createTableOfAnotherOwner() throws Exception {
        shop = database.role("shop");
        database.execute("create schema shop authorization " + shop + "; create table evidence (who text);"
                + " grant insert on evidence to public; grant usage on schema public to " + shop);
        asShop("create type shop.addr as enum ('x')");
        asShop("create function shop.evil(shop.addr) returns json language plpgsql as"
                + " 'begin insert into public.evidence values (current_user); return ''{}''; end'");
        asShop("create cast (shop.addr as json) with function shop.evil(shop.addr)");
        asShop("create table shop.orders (id bigint primary key)");
    }

    private void asShop(String sql) {
        new JdbcTemplate(database.unpooledAs(shop, TestOutbox.PASSWORD_OF_ROLES)).execute(sql);
    }

    private List<String> evidence() {
        return database.jdbc().queryForList("select distinct who from evidence", String.class);
    }

    @Test
    void a_cast_of_the_owner_of_the_table_never_runs_with_the_rights_of_the_owner_of_the_outbox() throws Exception {
        run("apply", write("orders", CAPTURE).toString())
                .assertFailed(
                        "runs with the rights of the role that writes", "grant insert on public.outbox to " + shop);
        database.execute("grant insert on outbox to " + shop);

        CommandRun applied = run("apply", file("orders").toString());
        assertThat(applied.err()).isEmpty();
        assertThat(applied.out()).contains("Installed capture orders", "with the rights of the role that writes");
        asShop("insert into shop.orders values (1)");
        asShop("alter table shop.orders add addr shop.addr");
        asShop("insert into shop.orders values (2, 'x')");

        assertThat(database.number("select count(*) from outbox")).isEqualTo(2);
        assertThat(evidence()).containsExactly(shop);
        assertThat(run("check", file("orders").toString()).out()).contains("No problems found.");
    }

    /** The owner of a function can replace it after the owner of the type has made a cast of it. */
    @Test
    void the_owner_of_the_function_of_a_cast_does_not_gain_the_rights_of_the_owner_of_the_outbox() throws Exception {
        database.execute(
                "create type public.tone as enum ('x'); create table bookings (id bigint primary key, tone tone);"
                        + " grant usage on schema shop to public; grant insert on bookings to " + shop);
        asShop("create function shop.go(public.tone) returns json language plpgsql as"
                + " 'begin insert into public.evidence values (current_user); return ''{}''; end'");
        database.execute("create cast (tone as json) with function shop.go(tone)");
        String file = write("bookings", CAPTURE.replace("shop.orders", "public.bookings"))
                .toString();

        run("apply", file).assertFailed("because " + shop, "grant insert on public.outbox to " + shop);
        database.execute("grant insert on outbox to " + shop);
        assertThat(run("apply", file).err()).isEmpty();
        asShop("insert into public.bookings values (1, 'x')");

        assertThat(evidence()).containsExactly(shop);
    }

    @Test
    void an_installed_function_that_gives_its_rights_to_the_owner_of_the_table_is_reported_and_corrected()
            throws Exception {
        database.execute("grant insert on outbox to " + shop);
        write("orders", CAPTURE);
        run("apply", file("orders").toString());
        database.execute("alter function outbox_capture_orders() security definer");
        asShop("alter table shop.orders add addr shop.addr default 'x'");
        asShop("insert into shop.orders values (1)");
        assertThat(evidence()).as("the threat").containsExactly("postgres");

        CommandRun check = run("check", file("orders").toString());

        check.assertFailed();
        assertThat(new Captures(database.dataSource()).rightsThatOthersGain())
                .singleElement()
                .asString()
                .contains("capture orders of shop.orders", "rights of its owner, postgres", shop);
        assertThat(check.out())
                .contains("runs with the rights of its owner, postgres", shop, "./caravan capture apply");
        run("apply", file("orders").toString()).assertDone();
        assertThat(run("check", file("orders").toString()).out()).contains("No problems found.");
    }

    @Test
    void a_role_that_may_write_the_table_and_not_the_outbox_is_named() throws Exception {
        database.execute("grant insert on outbox to " + shop);
        write("orders", CAPTURE);
        run("apply", file("orders").toString()).assertDone();
        String clerk = database.role("clerk");
        database.execute("grant insert on shop.orders to " + clerk);

        CommandRun check = run("check", file("orders").toString());

        assertThat(check.out()).contains("grant insert on public.outbox to " + clerk);
    }

    @Test
    void a_member_of_the_owner_of_the_outbox_can_do_nothing_more_and_needs_no_right_on_the_outbox() throws Exception {
        String owner = database.role("owner");
        database.execute("alter table outbox owner to " + owner + "; grant " + owner + " to " + shop);

        CommandRun applied = run("apply", write("orders", CAPTURE).toString());

        assertThat(applied.err()).isEmpty();
        asShop("insert into shop.orders values (1)");
        assertThat(database.number("select count(*) from outbox")).isEqualTo(1);
    }

    @Test
    void a_backfill_runs_no_cast_of_an_untrusted_owner() throws Exception {
        database.execute("grant insert on outbox to " + shop);
        asShop("insert into shop.orders values (1)");
        asShop("alter table shop.orders add addr shop.addr default 'x'");

        run("backfill", write("orders", CAPTURE).toString())
                .assertFailed("(addr)", shop, "with the rights of role postgres");
        assertThat(evidence()).isEmpty();

        asShop("alter table shop.orders drop addr");
        assertThat(run("backfill", file("orders").toString()).err()).doesNotContain("rights of role");
        assertThat(database.number("select count(*) from outbox")).isEqualTo(1);
    }

    /** Postgres evaluates constant parts of the condition of an index while it plans a statement, with the rights of the reader. */
    @Test
    void a_backfill_runs_no_index_of_an_untrusted_owner() throws Exception {
        database.execute("grant insert on outbox to " + shop + "; create sequence runs; grant usage on runs to public");
        asShop("insert into shop.orders values (1)");
        asShop(
                "create function shop.go(text) returns boolean immutable language plpgsql as"
                        + " 'begin if current_user = ''postgres'' then perform nextval(''public.runs''); end if; return true; end'");
        asShop("create index orders_go on shop.orders (id) where shop.go('')");

        CommandRun refused = run("backfill", write("orders", CAPTURE).toString());

        assertThat(database.jdbc().queryForObject("select is_called from runs", Boolean.class))
                .isFalse();
        refused.assertFailed("shop.go(text)", "with the rights of role postgres");
    }

    /** The owner of a table may rename its triggers, and the name is part of statements of Caravan. */
    @Test
    void the_name_of_a_trigger_runs_no_statement() throws Exception {
        database.execute("grant insert on outbox to " + shop);
        write("orders", CAPTURE);
        run("apply", file("orders").toString()).assertDone();
        asShop("create function shop.nothing() returns trigger language plpgsql as 'begin return null; end'");
        asShop("create trigger x after insert on shop.orders execute function shop.nothing()");
        asShop("alter trigger _outbox_capture_orders_01 on shop.orders rename to"
                + " \"x on shop.orders;insert into evidence values(1);--\"");

        assertThat(run("apply", file("orders").toString()).err()).isEmpty();
        asShop("alter trigger _outbox_capture_orders_01 on shop.orders rename to"
                + " \"x on shop.orders;insert into evidence values(2);--\"");
        assertThat(run("remove", "orders", "--yes").err()).isEmpty();

        assertThat(evidence()).isEmpty();
        assertThat(database.jdbc()
                        .queryForList(
                                "select tgname from pg_trigger where tgrelid = 'shop.orders'::regclass", String.class))
                .containsExactly("x");
    }

    /** The name of a column is part of the source of the function, and the owner of the table chooses it. */
    @Test
    void the_name_of_a_column_runs_no_statement() throws Exception {
        String column = "*/$capture$set check_function_bodies=off;select shop.go();/*";
        // a sequence, because the statements that follow fail and undo all others
        database.execute("grant insert on outbox to " + shop + "; create sequence runs; grant usage on runs to public");
        asShop("create function shop.go() returns bigint language sql as 'select nextval(''public.runs'')'");
        asShop("create table shop.items (\"" + column + "\" bigint primary key)");

        CommandRun applied = run(
                "apply",
                write("items", CAPTURE.replace("shop.orders", "shop.items") + "  - {on: delete, type: order.deleted}\n")
                        .toString());

        assertThat(database.jdbc().queryForObject("select is_called from runs", Boolean.class))
                .isFalse();
        assertThat(applied.err()).isEmpty();
        asShop("insert into shop.items values (7)");
        assertThat(database.jdbc().queryForList("select aggregate_id from outbox", String.class))
                .containsExactly("7");
    }

    /** Who owns a function can replace it later, and it would then run with the rights of each role that writes to the table. */
    @Test
    void a_function_that_another_role_created_before_is_not_used() throws Exception {
        database.execute("grant insert on outbox to " + shop);
        String evil = database.role("evil");
        database.execute("grant create, usage on schema public to " + evil);
        new JdbcTemplate(database.unpooledAs(evil, TestOutbox.PASSWORD_OF_ROLES))
                .execute("create function public.outbox_capture_orders() returns trigger language plpgsql as"
                        + " 'begin return null; end'");

        run("apply", write("orders", CAPTURE).toString())
                .assertFailed("belongs to " + evil, "drop function public.outbox_capture_orders()");
        assertThat(run("check", file("orders").toString()).out()).contains("belongs to " + evil);
        database.execute("drop function public.outbox_capture_orders()");
        run("apply", file("orders").toString()).assertDone();
    }

    /** Default privileges and GRANT ON ALL FUNCTIONS give the right to call the function, and so to attach it to another table. */
    @Test
    void a_role_that_may_call_functions_cannot_attach_the_function_to_a_table_of_its_own() throws Exception {
        database.execute("alter default privileges in schema public grant execute on functions to " + shop
                + "; create table bookings (id bigint primary key)");
        String file = write("bookings", CAPTURE.replace("shop.orders", "public.bookings"))
                .toString();
        assertThat(run("apply", file).err()).isEmpty();
        String attach = "create trigger forged after insert on shop.orders for each row"
                + " execute function public.outbox_capture_bookings('1')";
        asShop("alter table shop.orders add addr shop.addr default 'x'");

        assertThatThrownBy(() -> asShop(attach)).rootCause().hasMessageContaining("permission denied");
        assertThat(run("check", file).out()).contains("No problems found.");

        database.execute("grant execute on all functions in schema public to " + shop);
        asShop(attach);
        asShop("insert into shop.orders values (1)");
        assertThat(evidence()).as("the threat").containsExactly("postgres");
        assertThat(new Captures(database.dataSource()).rightsThatOthersGain())
                .asString()
                .contains("capture bookings of public.bookings", shop + " may attach it to a table of their own");
        assertThat(run("check", file).out()).contains(shop + " may attach it", "./caravan capture apply");
        run("apply", file);
        assertThat(new Captures(database.dataSource()).rightsThatOthersGain()).isEmpty();
    }

    /** The function marks each row with the rights of its owner, and fires the triggers of the table. */
    @Test
    void a_role_that_may_create_triggers_does_not_gain_the_rights_of_a_function_that_marks_rows() throws Exception {
        database.execute("create table emails (id bigint primary key, sent boolean not null default false);"
                + " grant trigger, insert on emails to " + shop + "; grant usage on schema public to " + shop);
        String file = write("emails", TAKE_OVER).toString();

        CommandRun refused = run("take-over", file, "--poller-stopped", "--yes");

        assertThat(refused.err())
                .contains(
                        shop + ", who can change public.emails, its types or its triggers",
                        "grant insert on public.outbox to " + shop,
                        "grant UPDATE on public.emails to " + shop);
        database.execute("grant insert on outbox to " + shop + "; grant select, update on emails to " + shop);
        assertThat(run("take-over", file, "--poller-stopped", "--yes").exit()).isZero();
        asShop("create function shop.go() returns trigger language plpgsql as"
                + " 'begin insert into public.evidence values (current_user); return new; end'");
        asShop("create trigger go before update on public.emails for each row execute function shop.go()");
        asShop("insert into public.emails values (1)");
        assertThat(evidence()).containsExactly(shop);

        database.execute("alter function outbox_capture_emails() security definer; revoke trigger on emails from "
                + shop + "; truncate evidence");
        asShop("insert into public.emails values (2)");
        assertThat(evidence()).as("the threat").containsExactly("postgres");
        assertThat(new Captures(database.dataSource()).rightsThatOthersGain())
                .singleElement()
                .asString()
                .contains("capture emails of public.emails", shop + " could run statements");
    }

    /**
     * Before Postgres 18, a trigger that fires after a foreign key has changed rows along runs with the rights of the role that marks; later with
     * those of the owner of the table with the foreign key, whoever marks.
     */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            sent = true | unique (id, sent) | references | | (id bigint, sent boolean, LATE (id, sent) references emails (id, sent) on update cascade) | (N, false)
            sent = true | unique (id, sent) | references (id, sent) | | (id bigint, sent boolean, LATE (id, sent) references emails (id, sent) on update set null) | (N, false)
            delete | check (true) | references | | (id bigint, LATE (id) references emails on delete set default) | (N)
            delete | check (true) | select | (id bigint primary key, email bigint, LATE (email) references emails on delete cascade) | (id bigint, LATE (id) references attachments on delete cascade) | (N)
            delete | check (true) | select | (id bigint primary key, email bigint, LATE (email) references emails on delete cascade) | |
            delete | check (true) | select | (id bigint, email bigint, unique (id, email), LATE (email) references emails on delete set null) | (id bigint, email bigint, LATE (id, email) references attachments (id, email) on update cascade) | (N, N)
            delete | check (true) | select | (id bigint primary key, email bigint) partition by range (id); create table part partition of attachments default; alter table part add LATE (email) references emails on delete cascade | (id bigint, LATE (id) references attachments on delete cascade) | (N)
            """)
    void a_role_whose_rows_change_along_does_not_gain_the_rights_of_a_function_that_marks_rows(
            String mark, String unique, String right, String attachments, String child, String row) throws Exception {
        boolean asMarker = database.number("show server_version_num") < 180_000;
        database.execute("create table emails (id bigint primary key, sent boolean not null default false, " + unique
                + "); grant usage on schema shop to public; grant insert on outbox to " + shop
                + "; grant select, insert, update, delete, " + right + " on emails to " + shop);
        if (attachments != null) {
            database.execute("create table attachments " + late(attachments) + "; grant insert, "
                    + (child == null ? "trigger" : "references") + " on attachments to " + shop);
        }
        String file = write("emails", TAKE_OVER.replace("sent = true", mark)).toString();
        assertThat(run("take-over", file, "--poller-stopped", "--yes").exit()).isZero();
        if (child != null) {
            asShop("set search_path = public; create table shop.child " + late(child));
        }
        asShop("create function shop.go() returns trigger language plpgsql as"
                + " 'begin insert into public.evidence values (current_user); return null; end'");
        asShop("create trigger go after update or delete on " + (child == null ? "public.attachments" : "shop.child")
                + " for each row execute function shop.go()");
        String write = "begin; " + (attachments == null ? "" : "insert into public.attachments values (N, N); ")
                + (child == null ? "" : "insert into shop.child values " + row + "; ")
                + "insert into public.emails values (N); commit";

        asShop(write.replace("N", "1"));
        assertThat(evidence()).containsExactly(asMarker || child != null ? shop : "postgres");

        database.execute("alter function outbox_capture_emails() security definer; truncate evidence");
        asShop(write.replace("N", "2"));
        assertThat(evidence()).as("the threat").containsExactly(asMarker || child == null ? "postgres" : shop);
        List<String> reported = new Captures(database.dataSource()).rightsThatOthersGain();
        assertThat(reported).hasSize(asMarker ? 1 : 0);
        assertThat(reported).allMatch(text -> text.contains(shop + " could run statements"));
    }

    private static String late(String definition) {
        return definition.replaceAll(
                "LATE (\\([a-z, ]+\\) references [a-z]+(?: \\([a-z, ]+\\))? on [a-z]+ (?:set )?[a-z]+)",
                "foreign key $1 deferrable initially deferred");
    }

    /** Triggers of a partition fire, too. */
    @Test
    void the_owner_of_a_partition_does_not_gain_the_rights_of_a_function_that_marks_rows() throws Exception {
        database.execute("create table emails (id bigint primary key, sent boolean not null default false)"
                + " partition by range (id); create table emails_all partition of emails default;"
                + " alter table emails_all owner to " + shop + "; grant usage on schema shop to public;"
                + " grant select, insert, update on emails to " + shop);
        String file = write("emails", TAKE_OVER).toString();

        run("take-over", file, "--poller-stopped", "--yes")
                .assertFailed("because " + shop, "grant insert on public.outbox to " + shop);
    }

    /** The owner of a function can replace it after the owner of the table has used it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "alter table emails add check (shop.go(sent))",
                "create index on emails (id) where shop.go(sent)",
                "alter table emails add marked boolean generated always as (shop.go(sent)) stored",
                "create rule watched as on update to emails do also select shop.go(true)",
                "create trigger watched before update on emails for each row when (shop.go(new.sent))"
                        + " execute function suppress_redundant_updates_trigger()"
            })
    void the_owner_of_a_function_that_a_mark_calls_does_not_gain_the_rights_of_the_owner_of_the_outbox(String use)
            throws Exception {
        database.execute("create table emails (id bigint primary key, sent boolean not null default false);"
                + " create sequence runs; grant usage on runs to public; grant insert on outbox to " + shop
                + "; grant usage on schema shop to public; grant select, insert, update on emails to " + shop);
        asShop(
                "create function shop.go(boolean) returns boolean immutable language plpgsql as"
                        + " 'begin if current_user = ''postgres'' then perform nextval(''public.runs''); end if; return true; end'");
        String file = write("emails", TAKE_OVER).toString();
        assertThat(run("take-over", file, "--poller-stopped", "--yes").exit()).isZero();
        database.execute(use);
        database.execute("alter sequence runs restart");

        asShop("insert into public.emails values (1)");
        assertThat(database.jdbc().queryForObject("select is_called from runs", Boolean.class))
                .as("the threat")
                .isTrue();
        assertThat(new Captures(database.dataSource()).rightsThatOthersGain())
                .singleElement()
                .asString()
                .contains("capture emails of public.emails", shop + " could run statements");
        assertThat(run("check", file).out()).contains("rights of");
        database.execute("alter function outbox_capture_emails() security invoker; alter sequence runs restart");
        asShop("insert into public.emails values (2)");
        assertThat(database.jdbc().queryForObject("select is_called from runs", Boolean.class))
                .isFalse();
    }

    /** A check of the files reads rows, too. */
    @Test
    void a_take_over_and_its_check_run_no_code_of_an_untrusted_owner() throws Exception {
        database.execute("create sequence runs; grant usage on runs to public; grant insert on outbox to " + shop);
        asShop("create table shop.emails (id bigint primary key, sent boolean not null default false)");
        asShop(
                "create function shop.go(text) returns boolean immutable language plpgsql as"
                        + " 'begin if current_user = ''postgres'' then perform nextval(''public.runs''); end if; return true; end'");
        asShop("create index emails_go on shop.emails (id) where shop.go('')");
        String file = write("emails", TAKE_OVER.replace("public.emails", "shop.emails"))
                .toString();

        CommandRun checked = run("check", file);
        CommandRun taken = run("take-over", file, "--poller-stopped", "--yes");

        assertThat(database.jdbc().queryForObject("select is_called from runs", Boolean.class))
                .isFalse();
        assertThat(checked.out()).contains("shop.go(text)", "with the rights of role postgres");
        assertThat(taken.err()).contains("shop.go(text)", "with the rights of role postgres");
    }

    /** The owner of a type can change it at any time: a lock of the table does not prevent it, and a step may wait for a reader. */
    @Test
    void no_step_of_a_take_over_trusts_types_of_an_untrusted_owner() throws Exception {
        database.execute("grant insert on outbox to " + shop);
        asShop("create table shop.emails (id bigint primary key, sent boolean not null default false, note text)");
        String file = write("emails", TAKE_OVER.replace("public.emails", "shop.emails"))
                .toString();
        assertThat(run("take-over", file, "--no-wait", "--yes").exit()).isZero();
        asShop("insert into shop.emails values (1, false, 'a')");
        asShop("create domain shop.note as text");
        asShop("create function shop.go(text) returns boolean language plpgsql as"
                + " 'begin insert into public.evidence values (current_user); return true; end'");
        asShop("alter table shop.emails alter note type shop.note");

        CommandRun checked = run("check", file);
        CompletableFuture<CommandRun> undone;
        try (var reader =
                database.unpooledAs(shop, TestOutbox.PASSWORD_OF_ROLES).getConnection()) {
            reader.setAutoCommit(false);
            reader.createStatement().execute("select from shop.emails");
            undone = CompletableFuture.supplyAsync(() -> run("take-over", file, "--undo", "--yes"));
            eventually(() -> assertThat(
                            undone.isDone() || database.number("select count(*) from pg_locks where not granted") > 0)
                    .isTrue());
            asShop("alter domain shop.note add check (shop.go(value)) not valid");
            reader.rollback();
        }

        String answer = undone.join().err();
        assertThat(evidence()).isEmpty();
        assertThat(answer).contains("(note)", shop, "with the rights of role postgres");
        assertThat(checked.out()).contains("(note)", "with the rights of role postgres");
    }

    /** Row-level security of the table applies to the owner of the function, and not to a superuser who looks. */
    @Test
    void the_owner_of_a_function_of_a_policy_does_not_gain_the_rights_of_a_function_that_marks_rows() throws Exception {
        String owner = database.role("owner");
        database.execute("alter table outbox owner to " + owner + "; grant create, usage on schema public to " + owner
                + "; create table emails (id bigint primary key, sent boolean not null default false);"
                + " grant select, update on emails to " + owner + "; grant insert on emails to " + shop
                + "; grant usage on schema shop to public");
        asShop("create function shop.go(boolean) returns boolean language plpgsql as"
                + " 'begin insert into public.evidence values (current_user); return true; end'");
        String file = write("emails", TAKE_OVER).toString();
        assertThat(run("take-over", file, "--poller-stopped", "--yes").exit()).isZero();
        database.execute("alter table emails enable row level security;"
                + " create policy seen on emails using (shop.go(sent)) with check (true)");
        asShop("insert into public.emails values (1)");
        assertThat(evidence()).as("the threat").contains(owner);

        assertThat(new Captures(database.dataSource()).rightsThatOthersGain())
                .singleElement()
                .asString()
                .contains("capture emails of public.emails", shop + " could run statements");
    }

    /** A migration tool may run the statements of a script one by one, and every role may call a new function until that is revoked. */
    @Test
    void nobody_attaches_the_function_of_a_printed_script_to_a_table_while_it_runs() throws Exception {
        database.execute("create table bookings (id bigint primary key)");
        asShop("create table shop.own (id bigint primary key, addr shop.addr)");
        String script = run(
                        "print",
                        write("bookings", CAPTURE.replace("shop.orders", "public.bookings"))
                                .toString())
                .out();

        for (String statement : script.split("(?<=;)\n\n")) {
            database.execute(statement);
            try {
                asShop("create trigger steals after insert on shop.own for each row"
                        + " execute function public.outbox_capture_bookings('1')");
            } catch (DataAccessException e) {
                assertThat(e.getMostSpecificCause()).hasMessageContaining("permission denied");
            }
        }
        asShop("insert into shop.own values (1, 'x')");

        assertThat(evidence()).isEmpty();
        database.execute("insert into bookings values (1)");
        assertThat(database.number("select count(*) from outbox")).isOne();
    }

    /** A person pastes the commands that a problem names. */
    @Test
    void a_function_whose_name_continues_a_command_is_no_capture() throws Exception {
        database.execute("grant create on schema public to " + shop);
        asShop("create function public.\"outbox_capture_x; echo stolen #\"() returns trigger language plpgsql as"
                + " 'begin return null; end'");

        Captures captures = new Captures(database.dataSource());

        assertThat(captures.check(List.of(), true)).isEmpty();
        assertThat(captures.list()).isEmpty();
    }
}
