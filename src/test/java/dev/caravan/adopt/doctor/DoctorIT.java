package dev.caravan.adopt.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.outbox.HookedStatement;
import dev.caravan.database.schema.Schema;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole examination: what is healthy, what cannot be examined, and what it costs. Takes about 10 s. */
class DoctorIT {
    private static DoctorDatabase database;

    @BeforeAll
    static void prepare() throws Exception {
        database = DoctorDatabase.create();
        database.execute(
                "create table healthy (id bigint generated always as identity primary key, message_id uuid not null unique"
                        + " default gen_random_uuid(), type text not null, payload json, created_at timestamptz not null"
                        + " default clock_timestamp(), published_at timestamptz)",
                "create index on healthy (id) where published_at is null");
    }

    @Test
    void a_healthy_table_has_no_finding_when_empty_and_when_messages_are_published() throws Exception {
        assertThat(database.examine("healthy").findings()).isEmpty();

        database.execute(
                "insert into healthy (type, payload) select 'x', '{}' from generate_series(1, 20000)",
                "update healthy set published_at = now() where id < 19990",
                "vacuum analyze healthy");

        Report report = database.examine("healthy");
        assertThat(report.findings()).isEmpty();
        assertThat(report.notExamined()).isEmpty();
        assertThat(report.facts().get("Table")).startsWith("public.healthy: about 20,000 rows, ");
        assertThat(report.facts().get("Pending")).isEqualTo("published_at is null (by column published_at)");
        assertThat(report.facts().get("Order")).isEqualTo("id (numbered by a sequence)");
    }

    @Test
    void the_outbox_of_caravan_has_no_finding_new_and_after_messages() throws Exception {
        DoctorDatabase own = DoctorDatabase.create();
        new Schema(own.dataSource()).apply();

        assertThat(own.examine(DoctorDatabase.DEFAULT).findings()).isEmpty();
        own.execute("insert into outbox (aggregate_type, aggregate_id, type, payload)"
                + " select 'order', n::text, 'order.created', '{}' from generate_series(1, 20000) n");
        Report report = own.examine(DoctorDatabase.DEFAULT);
        assertThat(report.findings()).isEmpty();
        assertThat(report.notExamined()).isEmpty();
        assertThat(report.facts().get("Table")).contains("the outbox of Caravan");
        assertThatThrownBy(() -> own.examine(DoctorDatabase.request(null, "type = 'x'")))
                .isInstanceOf(Request.Refused.class)
                .hasMessageContaining("have no pending state");
    }

    @Test
    void conditions_of_caravan_are_those_of_check() throws Exception {
        DoctorDatabase own = DoctorDatabase.create();
        new Schema(own.dataSource()).apply();
        own.execute("insert into outbox_subscription (name, position) values ('orders', 10)");
        assertThat(DoctorDatabase.only(FindingKind.CARAVAN_POSITION_AHEAD, own.examine("outbox")))
                .singleElement()
                .extracting(Finding::fix)
                .asString()
                .contains("resume orders --after ID");

        own.execute("alter sequence outbox_id_seq cache 20");

        Report report = own.examine("outbox");
        assertThat(report.findings()).singleElement().satisfies(finding -> {
            assertThat(finding.kind()).isEqualTo(FindingKind.CARAVAN_CONDITION);
            assertThat(finding.fix()).contains("CACHE 20");
        });
        assertThat(report.critical()).isPositive();
    }

    @Test
    void without_a_table_the_database_is_examined_and_candidates_are_named() throws Exception {
        DoctorDatabase own = DoctorDatabase.create();
        assertThat(own.examine(DoctorDatabase.DEFAULT).facts().get("Candidates"))
                .startsWith("none;");

        own.execute("create table email_outbox (id int, sent boolean)", "create table person (id int)");

        Report report = own.examine(DoctorDatabase.DEFAULT);
        assertThat(report.findings()).isEmpty();
        assertThat(report.facts().get("Candidates")).isEqualTo("public.email_outbox; name one with --table");
    }

    @Test
    void a_table_is_found_by_each_form_of_its_name() throws Exception {
        database.execute(
                "create schema \"Mail Shop\"",
                "create table \"Mail Shop\".\"Out box\" (id bigint primary key, sent boolean)",
                "create table \"Orders\" (id bigint primary key)");

        assertThat(database.examine("\"Mail Shop\".\"Out box\"").facts().get("Table"))
                .startsWith("\"Mail Shop\"");
        assertThat(database.examine("Mail Shop.Out box").facts().get("Table")).startsWith("\"Mail Shop\"");
        assertThat(database.examine("Out box").facts().get("Table")).startsWith("\"Mail Shop\"");
        assertThat(database.examine("Orders").facts().get("Table")).startsWith("public.\"Orders\"");
        assertThat(database.examine("public.healthy").facts().get("Table")).startsWith("public.healthy");
    }

    @Test
    void wrong_names_and_conditions_are_refused() throws Exception {
        database.execute("create view healthy_view as select * from healthy");

        refused(DoctorDatabase.request("helthy", null), "no table helthy", "Did you mean public.healthy?");
        refused(DoctorDatabase.request("'; drop table healthy", null), "no table '; drop table healthy");
        refused(DoctorDatabase.request("healthy_view", null), "is a view");
        refused(with(null, "craeted_at"), "no column craeted_at (--order)", ", did you mean created_at?");
        refused(with("nothing = 1", null), "--pending is not a condition", "nothing");
        refused(with("true) or (type", null), "--pending is not a condition");
        assertThatThrownBy(() -> with("true); drop table healthy; select (true", null))
                .isInstanceOf(Request.Refused.class)
                .hasMessageContaining("without a semicolon");
        assertThat(database.text("select count(*) from healthy")).isNotNull();
    }

    private static Request with(String pending, String order) {
        return new Request(Optional.of("healthy"), Optional.ofNullable(pending), Optional.ofNullable(order));
    }

    private static void refused(Request request, String... texts) {
        assertThatThrownBy(() -> database.examine(request))
                .isInstanceOf(Request.Refused.class)
                .hasMessageContainingAll(texts);
    }

    @Test
    void a_given_condition_and_order_are_used() throws Exception {
        Report report = database.examine(with("type = 'x?{}' -- mine", "created_at"));

        assertThat(report.facts().get("Pending")).isEqualTo("type = 'x?{}' -- mine (given by --pending)");
        assertThat(report.facts().get("Order")).isEqualTo("created_at (given by --order)");
        assertThat(report.notExamined()).isEmpty();
    }

    @Test
    void a_role_without_rights_gets_the_missing_grants_and_the_rest_is_examined() throws Exception {
        String role = database.name() + "_weak";
        database.execute(
                "create role " + role + " login password 'postgres'",
                "create unlogged table hidden (id int primary key, sent boolean default false)",
                "create schema closed",
                "create table closed.hidden_more (id int primary key)");

        Report report = DoctorDatabase.doctor(database.dataSourceAs(role), Limits.DEFAULT)
                .examine(DoctorDatabase.request("hidden", null));

        assertThat(report.notExamined().toString())
                .contains("grant pg_monitor to " + role, "grant select on public.hidden to " + role);
        assertThat(DoctorDatabase.only(FindingKind.UNLOGGED_TABLE, report)).hasSize(1);
        Report closed = DoctorDatabase.doctor(database.dataSourceAs(role), Limits.DEFAULT)
                .examine(DoctorDatabase.request("closed.hidden_more", null));
        assertThat(closed.notExamined().toString()).contains("grant select on closed.hidden_more to " + role);
    }

    /**
     * The owner of a table writes its indexes and the casts of its types. Postgres evaluates constant parts while it plans a statement, and the
     * condition of a partial index is what the report takes for pending.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "create index on mails (id) where app.go('')",
                "create index on mails (id) where app.go(status) and status = 'queued'",
                "create type state as enum ('queued'); create function cast_of(state) returns text language plpgsql as"
                        + " 'begin perform app.go(''''); return ''queued''; end';"
                        + " create cast (state as text) with function cast_of(state) as implicit;"
                        + " alter table mails alter status type state using 'queued', alter status set default 'queued'::state"
            })
    void code_of_the_owner_of_a_table_does_not_run(String code) throws Exception {
        DoctorDatabase own = DoctorDatabase.create();
        String app = own.owner("app");
        try (var connection = own.dataSourceAs(app).getConnection();
                var statement = connection.createStatement()) {
            statement.execute(
                    "set search_path = app; create table mails (id bigint generated always as identity primary key,"
                            + " status text, at timestamptz);" + DoctorDatabase.NOT_AS_POSTGRES
                            + " insert into mails (status) values ('queued'); " + code);
        }

        Report report = own.examine("app.mails");

        assertThat(report.notExamined().toString())
                .doesNotContain("ran as postgres")
                .containsOnlyOnce("with the rights of role postgres")
                .contains(app);
        assertThatThrownBy(() -> own.examine(DoctorDatabase.request("app.mails", "status = 'queued'")))
                .isInstanceOf(Request.Refused.class)
                .hasMessageContainingAll("with the rights of role postgres", app, "Nothing was examined");
    }

    /** Nor between the look and the statement. */
    @Test
    void the_owner_of_a_table_gives_it_no_code_while_its_rows_are_read() throws Exception {
        DoctorDatabase own = DoctorDatabase.create();
        String app = own.owner("app");
        try (var connection = own.dataSourceAs(app).getConnection();
                var statement = connection.createStatement()) {
            statement.execute("set search_path = app; set lock_timeout = '50ms';"
                    + " create table mails (id bigint generated always as identity primary key, status text, at timestamptz);"
                    + DoctorDatabase.NOT_AS_POSTGRES);
            AtomicInteger looks = new AtomicInteger();
            List<String> refused = new ArrayList<>();
            var source = new HookedStatement(own.dataSource(), "adopt/trust");
            source.after(session -> {
                if (looks.incrementAndGet() % 2 == 0) { // the one under the lock
                    for (String change : List.of(
                            "create index on mails (id) where go('')",
                            "create statistics s on (go(status)), id from mails")) {
                        try {
                            statement.execute(change);
                        } catch (SQLException e) {
                            refused.add(e.getSQLState());
                        }
                    }
                }
            });

            Report report = DoctorDatabase.doctor(source, Limits.DEFAULT)
                    .examine(DoctorDatabase.request("app.mails", "status = 'queued'"));

            assertThat(report.notExamined().toString()).doesNotContain("ran as postgres", "rows of");
            assertThat(refused).hasSizeGreaterThan(2).containsOnly("55P03");
        }
    }

    /** What the report takes for pending may be the condition of an index that is gone when the rows are read. */
    @Test
    void a_condition_of_an_index_that_is_dropped_meanwhile_runs_no_code_of_its_owner() throws Exception {
        DoctorDatabase own = DoctorDatabase.create();
        String app = own.owner("app");
        try (var connection = own.dataSourceAs(app).getConnection();
                var statement = connection.createStatement()) {
            statement.execute("set search_path = app;"
                    + " create table mails (id bigint generated always as identity primary key, status text, at timestamptz);"
                    + " insert into mails (status) values ('queued');"
                    + DoctorDatabase.NOT_AS_POSTGRES
                    + " create index waiting on mails (id) where app.go(status) and status = 'queued'");
            var source = new HookedStatement(own.dataSource(), "adopt/pending_hints");
            source.after(session -> statement.execute("drop index waiting"));

            Report report =
                    DoctorDatabase.doctor(source, Limits.DEFAULT).examine(DoctorDatabase.request("app.mails", null));

            assertThat(report.notExamined().toString()).doesNotContain("ran as postgres");
        }
    }

    /** The names of a condition are looked up on the search_path of the role. */
    @Test
    void an_operator_of_another_role_is_not_used_by_a_condition() throws Exception {
        DoctorDatabase own = DoctorDatabase.create();
        String app = own.name() + "_app";
        own.execute(
                "create table mails (id bigint generated always as identity primary key, status varchar(20))",
                "insert into mails (status) values ('queued')",
                "create role " + app + " login password 'postgres'",
                "grant create on schema public to " + app);
        try (var connection = own.dataSourceAs(app).getConnection();
                var statement = connection.createStatement()) {
            statement.execute("create function public.same(varchar, varchar) returns boolean language plpgsql as"
                    + " 'begin raise ''ran as %'', current_user; end';"
                    + " create operator public.= (leftarg = varchar, rightarg = varchar, function = public.same)");
        }

        Report report = own.examine(DoctorDatabase.request("mails", "status = 'queued'"));

        assertThat(report.notExamined().toString()).doesNotContain("ran as");
        assertThatThrownBy(() -> own.examine(DoctorDatabase.request("mails", "same(status, 'queued')")))
                .isInstanceOf(Request.Refused.class)
                .hasMessageContainingAll(
                        "--pending is not a condition",
                        "names of Postgres only",
                        "operator",
                        app,
                        "Nothing was examined");
    }

    @Test
    void without_pg_stat_statements_the_rest_is_examined() throws Exception {
        DoctorDatabase own = DoctorDatabase.create();
        own.execute("drop extension pg_stat_statements", "create table outbox (id bigint, published_at timestamptz)");

        Report report = own.examine("outbox");

        assertThat(report.notExamined()).singleElement().asString().contains("create extension pg_stat_statements");
        assertThat(DoctorDatabase.only(FindingKind.NO_PRIMARY_KEY, report)).hasSize(1);
    }

    @Test
    void a_locked_table_does_not_stop_the_examination() throws Exception {
        database.execute("create table locked (id bigint primary key, sent boolean)");
        try (var connection = database.connect()) {
            connection.setAutoCommit(false);
            connection.createStatement().execute("lock table locked in access exclusive mode");

            Report report = database.examine("locked");

            assertThat(report.notExamined()).isNotEmpty().allSatisfy(part -> assertThat(part.why())
                    .isEqualTo("another session has locked the table"));
        }
    }

    @Test
    void nothing_is_changed() throws Exception {
        DoctorDatabase own = DoctorDatabase.create();
        own.execute("create table outbox (id bigserial primary key, published_at timestamptz, by_trigger int)");
        own.execute("insert into outbox (published_at) values (null)");
        // A condition with a side effect shows that the transaction is read-only.
        Report report = own.examine(DoctorDatabase.request("outbox", "nextval('outbox_id_seq') > 0"));

        assertThat(report.notExamined().toString()).contains("read-only transaction");
        assertThat(own.text("select last_value from outbox_id_seq")).isEqualTo("1");
    }

    @Test
    @Tag("long")
    void a_million_rows_without_an_index_are_found() throws Exception {
        database.execute(
                "create table large (id bigserial, created_at timestamptz default now(), payload text, sent boolean default false)",
                "insert into large (payload, sent) select repeat('x', 100), n < 999000 from generate_series(1, 1000000) n",
                "analyze large");

        Report report = database.examine("large");

        assertThat(DoctorDatabase.only(FindingKind.POLL_WITHOUT_INDEX, report))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.severity()).isEqualTo(Severity.WARNING);
                    assertThat(finding.figure()).contains("about 1,000,000 rows");
                    assertThat(finding.sql())
                            .isEqualTo("create index concurrently on public.large (id) where not sent;");
                });
        database.execute("drop table large");
    }
}
