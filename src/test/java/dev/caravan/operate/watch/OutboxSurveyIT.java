package dev.caravan.operate.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.message.Json;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Database;
import dev.caravan.database.OutboxSchema;
import dev.caravan.database.schema.Schema;
import dev.caravan.operate.explain.RecentSamples;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** The outboxes of one database, as the role of a relay sees them. */
class OutboxSurveyIT {
    private static final String SUBSCRIPTION =
            "insert into outbox_subscription (name, position, types, gaps%s) values ('%s', 0, '{%%}', '{}'%s)";

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicLong nanosPerQuestion = new AtomicLong();
    private final AtomicInteger connections = new AtomicInteger();
    private final TestOutbox database = TestOutbox.create();
    private String role;
    private OutboxSurvey survey;

    @BeforeEach
    void create() throws Exception {
        role = database.roleWithGrants();
        var settings =
                database.settings(Map.of("caravan.db.user", role, "caravan.db.password", TestOutbox.PASSWORD_OF_ROLES));
        var counted = new DelegatingDataSource(Database.forSurvey(settings)) {
            @Override
            public Connection getConnection() throws SQLException {
                connections.incrementAndGet();
                return super.getConnection();
            }
        };
        Clock clock = new Clock() {
            @Override
            public long nanos() {
                return nanos.addAndGet(nanosPerQuestion.get());
            }

            @Override
            public long millis() {
                return System.currentTimeMillis() + nanos.get() / 1_000_000;
            }
        };
        survey = new OutboxSurvey(counted, Optional::empty, new RecentSamples(), clock);
    }

    private void outbox(String schema) {
        database.execute(Schema.print(new OutboxSchema(schema)));
    }

    private void grant(String schema) {
        String quoted = new OutboxSchema(schema).quoted();
        database.execute("grant usage on schema " + quoted + " to " + role + "; grant select on all tables in schema "
                + quoted + " to " + role + "; grant select on all sequences in schema " + quoted + " to " + role);
    }

    private void inSchema(String schema, String sql) {
        database.execute("set search_path = '" + schema + "'; " + sql + "; reset search_path");
    }

    private List<OutboxStatus> next() throws SQLException {
        pass(Duration.ofSeconds(5));
        return survey.latest();
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private OutboxStatus next(String schema) throws SQLException {
        return next().stream()
                .filter(status -> status.outbox().schema().equals(schema))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> names(List<OutboxStatus> all) {
        return all.stream().map(status -> status.outbox().schema()).toList();
    }

    @Test
    void each_outbox_has_its_own_state_also_if_no_relay_runs_there() throws Exception {
        outbox("Two");
        grant("Two");
        outbox("three");
        grant("three");
        inSchema("public", SUBSCRIPTION.formatted("", "a", ""));
        inSchema(
                "Two",
                SUBSCRIPTION.formatted(", owner, lease_until, epoch", "b", ", 'one', now() + interval '1 min', 1")
                        + "; insert into outbox (aggregate_type, aggregate_id, type, created_at)"
                        + " values ('order', '1', 'order.created', now() - interval '20 min')");

        List<OutboxStatus> all = survey.latest();

        assertThat(names(all)).containsExactly("public", "Two", "three");
        assertThat(all.get(0).outbox().own()).isTrue();
        assertThat(all.get(0).text())
                .isEqualTo(
                        "down: no relay has a lease of a; if no route reads it any more: ./caravan subscriptions delete a, and 1 more");
        assertThat(all.get(1).state()).isEqualTo("degraded");
        assertThat(all.get(1).seen().orElseThrow().relays()).containsExactly("one");
        assertThat(all.get(1).backlog()).contains(1L);
        assertThat(all.get(1).lag().orElseThrow()).isGreaterThan(Duration.ofMinutes(19));
        assertThat(all.get(2).seen().orElseThrow().relays()).isEmpty();
        assertThat(all.get(2).backlog()).contains(0L);
    }

    @Test
    void an_outbox_without_permission_is_shown_with_the_grants_that_it_needs() throws Exception {
        outbox("closed");
        OutboxStatus closed = next("closed");
        assertThat(closed.state()).isEqualTo("no permission");
        assertThat(Json.line(closed)).contains("\"backlog\":null", "\"relays\":null");

        database.execute(closed.remedy().replace("Run as its owner: ", ""));

        assertThat(next("closed").state()).isEqualTo("degraded"); // without partitions
    }

    /** Postgres would run the function of the policy for each row. */
    @Test
    void no_function_of_another_owner_runs_with_the_rights_of_the_relay() throws Exception {
        String mallory = database.role("mallory");
        outbox("trap");
        grant("trap");
        inSchema("trap", SUBSCRIPTION.formatted("", "a", ""));
        database.execute(
                // unlike a row, a number of a sequence is never rolled back
                "create sequence trapped; grant usage on sequence trapped to public;"
                        + " create function trap.run() returns boolean language plpgsql as"
                        + " 'begin perform nextval(''public.trapped''); return true; end';"
                        + " alter table trap.outbox_subscription enable row level security;"
                        + " create policy runs on trap.outbox_subscription using (trap.run());"
                        + " create function trap.changed() returns trigger language plpgsql as 'begin return new; end';"
                        + " create trigger changed before insert on trap.outbox_retry for each row execute function trap.changed();"
                        + " create function trap.small(text) returns boolean language sql immutable as 'select true';"
                        + " create function trap.inner(text) returns boolean language sql immutable as 'select true';"
                        + " create domain trap.short as text constraint small check (trap.inner(value));"
                        + " alter table trap.outbox_audit add note trap.short;"
                        + " create index on trap.outbox_history (trap.small(subscription));"
                        + " create schema other; create table other.guest (name text, lane integer,"
                        + " foreign key (name, lane) references trap.outbox_subscription on delete cascade);"
                        + " create table trap.guest (like other.guest, foreign key (name, lane) references trap.outbox_subscription);"
                        + " create function other.left() returns trigger language plpgsql as 'begin return old; end';"
                        + " create trigger gone before delete on other.guest for each row execute function other.left();"
                        + " create view other.allowed as select 1 as one; create view other.shown as select one from other.allowed;"
                        + " create function trap.length(text, text) returns integer language sql as 'select 1';"
                        + " create operator trap.=== (leftarg = text, rightarg = text, function = texteq);"
                        + " create function trap.odd(text) returns integer language sql immutable as 'select 1';"
                        + " create operator class trap.odd for type text using hash as operator 1 =, function 1 trap.odd(text);"
                        + " create index on trap.outbox_retry using hash (aggregate_id trap.odd);"
                        + " create policy views on trap.outbox_audit using (exists (select from other.shown))");
        for (String power : List.of(
                "grant create on schema trap to " + mallory,
                "grant create on schema trap to public",
                "alter schema trap owner to " + mallory,
                "alter table trap.outbox_retry owner to " + mallory,
                "alter function trap.changed owner to " + mallory,
                "alter function trap.run owner to " + mallory,
                "alter function trap.small owner to " + mallory,
                "alter function trap.inner owner to " + mallory,
                "alter domain trap.short owner to " + mallory,
                "alter function trap.odd owner to " + mallory,
                "alter function trap.length owner to " + mallory,
                "alter operator trap.=== (text, text) owner to " + mallory,
                "alter table other.guest owner to " + mallory,
                "alter table trap.guest owner to " + mallory,
                "alter function other.left owner to " + mallory,
                "alter view other.allowed owner to " + mallory)) {
            database.execute("revoke create on schema trap from public; revoke create on schema trap from " + mallory
                    + "; reassign owned by " + mallory + " to postgres; "
                    + power);

            OutboxStatus trap = next("trap");

            assertThat(trap.state()).as(power).isEqualTo("not trusted");
            assertThat(trap.remedy()).as(power).contains(" could run its own functions with the rights of " + role);
        }
        assertThat(trapped()).isFalse();

        if (database.number("show server_version_num") >= 150_000) {
            database.execute("grant " + mallory + " to " + role); // a person trusts it
            assertThat(next("trap").state()).isNotEqualTo("not trusted");
            assertThat(trapped()).isTrue(); // the trap works
        }
    }

    /** A survey reads no view, and Postgres checks a foreign key to a table with the rights of the owner of that table. */
    @Test
    void an_outbox_is_trusted_with_views_and_referenced_tables_of_others() throws Exception {
        String mallory = database.role("mallory");
        outbox("fine");
        grant("fine");
        database.execute("create table tenant (id text primary key); alter table tenant owner to " + mallory
                + "; create function label() returns text language sql as 'select ''x'''; alter function label owner to "
                + mallory + "; alter table fine.outbox add tenant text references tenant;"
                + " create view fine.outbox_report as select label() as label, * from tenant");

        assertThat(next("fine").state()).isNotEqualTo("not trusted");
    }

    private boolean trapped() {
        return database.text("select is_called::text from trapped").equals("true");
    }

    /** A superuser counts as a member of every role. */
    @Tag("long")
    @Test
    void a_superuser_does_not_trust_everybody() throws Exception {
        String mallory = database.role("mallory");
        outbox("trap");
        database.execute("alter schema trap owner to " + mallory);

        assertThat(OutboxSurvey.once(Database.forCommand(database.settings(Map.of()))))
                .extracting(OutboxStatus::state)
                .contains("not trusted");
    }

    @Tag("long")
    @Test
    void tables_of_another_version_are_named() throws Exception {
        outbox("old");
        grant("old");
        database.execute(
                "alter table old.outbox_retry drop column entry; alter table old.outbox_relay drop column until");

        OutboxStatus old = next("old");

        assertThat(old.state()).isEqualTo("not readable");
        assertThat(old.remedy())
                .contains("another version of Caravan: Column outbox_relay.until does not exist, and 1 more");
    }

    @Tag("long")
    @Test
    void the_version_is_that_of_its_migrations() throws Exception {
        new Schema(Database.forMigrations(database.settings(Map.of("caravan.schema", "migrated")))).apply();
        grant("migrated");

        assertThat(next("migrated").version()).hasValue(1);
    }

    @Test
    void a_table_that_is_locked_stops_neither_the_others_nor_the_survey() throws Exception {
        for (String schema : List.of("a", "b", "c")) {
            outbox(schema);
            grant(schema);
        }
        try (var other = database.begin("lock table b.outbox_dead_letter")) {

            List<OutboxStatus> all = survey.latest();

            assertThat(all)
                    .extracting(OutboxStatus::state)
                    .containsExactly("degraded", "degraded", "not readable", "degraded");
            assertThat(all.get(2).remedy()).contains("cancelled");
        }
        assertThat(next("b").state()).isEqualTo("degraded");
    }

    @Test
    void a_schema_that_is_dropped_disappears_and_its_last_sample_with_it() throws Exception {
        outbox("gone");
        grant("gone");
        next();
        assertThat(survey.latest("gone")).isPresent();

        database.execute("drop schema gone cascade");

        assertThat(names(next())).containsExactly("public");
        assertThat(survey.latest("gone")).isEmpty();
    }

    /** No relay can work on them: the setting refuses such a name. */
    @Test
    void a_schema_whose_name_has_a_quote_or_only_dots_is_left_out_and_any_other_name_is_not() throws Exception {
        for (String name : List.of("\"qu\"\"o'te\"", "\"..\"", "\"back\\slash\"")) {
            database.execute("create schema " + name + "; create table " + name + ".outbox_subscription (name text);"
                    + " create table " + name + ".outbox (id bigint) partition by range (id)");
        }
        String hostile = "; drop schema public cascade; -- %s ${x} $$ ?";
        outbox(hostile);
        grant(hostile);
        inSchema(hostile, SUBSCRIPTION.formatted("", "strange", ""));

        List<OutboxStatus> all = survey.latest();

        assertThat(names(all)).containsExactly("public", hostile);
        assertThat(all.get(1).text()).contains("strange");
    }

    @Test
    void the_database_is_queried_at_most_every_5_seconds_and_only_on_request() throws Exception {
        assertThat(connections.get()).isZero();
        List<OutboxStatus> first = survey.latest();
        pass(Duration.ofMillis(4_999));
        assertThat(survey.latest()).isSameAs(first);
        assertThat(connections.get()).isOne();

        pass(Duration.ofMillis(1));

        assertThat(survey.latest()).isNotSameAs(first);
        assertThat(connections.get()).isEqualTo(2);
    }

    @Test
    void a_survey_that_fails_is_not_repeated_at_once_and_keeps_the_last_samples() throws Exception {
        survey.latest();
        database.refuseConnections();
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(this::nextOrSame).isInstanceOf(SQLException.class);
        }
        assertThat(connections.get()).isEqualTo(2);
        assertThat(survey.latest("public")).isPresent();

        database.acceptConnections();

        assertThat(next("public").seen()).isPresent();
    }

    private void nextOrSame() throws SQLException {
        if (connections.get() == 1) {
            next();
        }
        survey.latest();
    }

    @Tag("long")
    @Test
    void outboxes_for_which_no_time_was_left_are_the_first_of_the_next_survey() throws Exception {
        for (String schema : List.of("a", "b", "c")) {
            outbox(schema);
            grant(schema);
        }
        nanosPerQuestion.set(Duration.ofMillis(600).toNanos()); // each reading of the clock takes this long

        List<Long> unread = List.of(unread(survey.latest()), unread(next()), unread(next()));

        assertThat(unread.get(0)).isPositive();
        assertThat(unread).endsWith(0L);
    }

    private static long unread(List<OutboxStatus> all) {
        return all.stream().filter(status -> status.seen().isEmpty()).count();
    }

    @Tag("long")
    @Test
    void rates_begin_anew_after_a_time_without_requests() throws Exception {
        outbox("two");
        grant("two");
        inSchema("two", SUBSCRIPTION.formatted("", "a", ""));
        next();
        database.execute("update two.outbox_subscription set delivered = 100");
        next();
        assertThat(survey.samples("two").rate("a"))
                .hasValueSatisfying(rate -> assertThat(rate).isBetween(15.0, 21.0));

        pass(Duration.ofMinutes(1));
        next();

        assertThat(survey.samples("two").rate("a")).isEmpty();
    }
}
