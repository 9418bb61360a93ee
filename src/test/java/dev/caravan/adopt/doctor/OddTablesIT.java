package dev.caravan.adopt.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Unusual tables of users: what is recognized, and that nothing fails. Takes about 10 s. */
class OddTablesIT {
    private static DoctorDatabase database;

    @BeforeAll
    static void create() throws SQLException {
        database = DoctorDatabase.create();
    }

    private static Report examine(String table, String columns, String... statements) throws SQLException {
        database.execute("drop table if exists " + table + " cascade", "create table " + table + " (" + columns + ")");
        database.execute(statements);
        Report report = database.examine(table);
        assertThat(report.notExamined()).isEmpty();
        return report;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "published_at timestamptz | published_at is null",
                "\"processedAt\" timestamp | \"processedAt\" is null",
                "\"Sent On\" date, sent_utc timestamptz | sent_utc is null",
                "sent boolean not null default false | not sent",
                "\"IsPublished\" boolean | not \"IsPublished\"",
                "status text default 'pending' | status = 'pending'",
                "state varchar(10) default 'it''s new' | state = 'it''s new'",
                "status smallint default 0 | status = 0",
                "message_status doctor_state | message_status = 'NEW'",
                "status text | unknown",
                "payload json | unknown",
                "deliveries int, sender text, completely boolean | unknown"
            })
    void pending_is_recognized(String columns, String condition) throws Exception {
        database.execute(
                "drop type if exists doctor_state cascade", "create type doctor_state as enum ('DONE', 'NEW')");

        Report report =
                examine("pending", "id bigserial primary key, created_at timestamptz default now(), " + columns);

        assertThat(report.facts().get("Pending")).startsWith(condition);
    }

    @Test
    void names_that_look_like_placeholders_run_no_statement() throws Exception {
        database.execute(
                "create function public.go() returns integer language plpgsql as 'begin raise exception ''it ran''; end'",
                "create table \"m{order}\" (\" ,public.go() as y --\" bigint generated always as identity primary key)",
                "create table m (\" ,public.go() as y --\" bigint)");

        assertThat(database.examine("m{order}").notExamined()).isEmpty();
    }

    @Test
    void pending_is_recognized_by_a_partial_index_and_by_values() throws Exception {
        Report indexed = examine(
                "indexed",
                "id bigserial primary key, status text",
                "create index on indexed (id) where status = 'failed'",
                "create index on indexed (id) where status in ('new', 'again')");
        assertThat(indexed.facts().get("Pending")).contains("'new'", "'again'", "by a partial index");

        Report values = examine(
                "valued",
                "id bigserial primary key, status text",
                "insert into valued (status) select case when n % 2 = 0 then 'Sent' else 'Pending' end from generate_series(1, 100) n",
                "analyze valued");
        assertThat(values.facts().get("Pending")).isEqualTo("status = 'Pending' (by the values of column status)");
    }

    @Test
    void the_outbox_of_debezium() throws Exception {
        Report report = examine(
                "debezium",
                "id uuid primary key, aggregatetype varchar(255) not null, aggregateid varchar(255) not null,"
                        + " type varchar(255) not null, payload jsonb",
                "insert into debezium select gen_random_uuid(), 'order', '1', 'x', '{}'");

        assertThat(report.findings()).extracting(Finding::kind).containsExactly(FindingKind.JSONB_PAYLOAD);
        assertThat(report.facts().get("Order")).startsWith("unknown");
    }

    @Test
    void names_that_must_be_quoted_everywhere() throws Exception {
        String table = "\"Odd \"\"Table\"\" ä\"";
        Report report = examine(
                table,
                "\"Id\" serial, \"select\" uuid, \"message_id\" uuid, \"created at\" timestamp default now(),"
                        + " \"Created_At\" timestamp, \"Payload\" jsonb, \"Sent\" boolean",
                "insert into " + table
                        + " (\"Created_At\", \"Sent\", message_id) select now() - interval '1 h', false, gen_random_uuid()"
                        + " from generate_series(1, 100)");

        assertThat(report.findings())
                .extracting(Finding::kind)
                .contains(FindingKind.NARROW_IDS, FindingKind.NO_PRIMARY_KEY, FindingKind.POLL_WITHOUT_INDEX)
                .contains(FindingKind.NOTHING_PUBLISHED, FindingKind.JSONB_PAYLOAD);
        for (Finding finding : report.findings()) {
            if (!finding.sql().isEmpty()) {
                database.execute(finding.sql());
            }
        }
        assertThat(database.examine(table).findings())
                .extracting(Finding::kind)
                .containsOnly(FindingKind.NOTHING_PUBLISHED);
    }

    @Test
    @Tag("long")
    void composite_keys_generated_columns_domains_and_inherited_tables() throws Exception {
        database.execute("create domain key_text as text not null check (value <> '')");
        examine(
                "composite",
                "tenant key_text, number int, at timestamptz default now(),"
                        + " event_id text generated always as (number::text) stored, sent_at timestamptz, primary key (tenant, number)",
                "insert into composite (tenant, number) values ('a', 1), ('b', 1)",
                "create table composite_child () inherits (composite)",
                "insert into composite_child (tenant, number) values ('c', 1)");

        assertThat(database.findings("composite", FindingKind.DUPLICATE_MESSAGE_IDS))
                .hasSize(1);
    }

    @Test
    @Tag("long")
    void no_columns_and_no_rows() throws Exception {
        assertThat(examine("nothing", "").findings())
                .extracting(Finding::kind)
                .containsExactly(FindingKind.NO_PRIMARY_KEY);
    }

    @Test
    @Tag("long")
    void many_partitions() throws Exception {
        database.execute(
                "create table many (id bigserial, created_at timestamptz default now(), published_at timestamptz,"
                        + " primary key (id)) partition by range (id)",
                "create index on many (id) where published_at is null",
                "do $$ begin for i in 0..199 loop execute format('create table many_%s partition of many for values"
                        + " from (%s) to (%s)', i, i * 100, i * 100 + 100); end loop; end $$",
                "insert into many (created_at) select now() - interval '1 h' from generate_series(1, 5000)",
                "analyze many");
        long start = System.nanoTime();

        Report report = database.examine("many");

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
        assertThat(report.findings()).extracting(Finding::kind).containsExactly(FindingKind.NOTHING_PUBLISHED);
        assertThat(report.notExamined()).isEmpty();
        assertThat(report.facts().get("Table")).contains("200 partitions by RANGE (id)");
        assertThat(database.examine("many_3").facts().get("Table")).startsWith("public.many_3: about ");
    }

    @Test
    void other_relations_are_refused() throws Exception {
        database.execute(
                "create table base (id int)",
                "create materialized view material as select * from base",
                "create extension postgres_fdw",
                "create server elsewhere foreign data wrapper postgres_fdw",
                "create foreign table far (id int) server elsewhere",
                "create sequence numbers");

        refused("material", "is a materialized view");
        refused("far", "is a foreign table");
        refused("numbers", "is not a table");
        try (var connection = database.connect()) {
            connection.createStatement().execute("create temporary table short (id int)");
            refused("short", "There is no table short");
            refused(
                    database.text("select oid::regclass::text from pg_class where relname = 'short'"),
                    "is a temporary table of another session");
        }
    }

    private static void refused(String table, String reason) {
        assertThatThrownBy(() -> database.examine(table))
                .isInstanceOf(Request.Refused.class)
                .hasMessageContaining(reason);
    }

    /** A role to which row level security applies sees no row. */
    @Test
    void rows_that_a_policy_hides_are_reported() throws Exception {
        String role = database.name() + "_tenant";
        database.execute(
                "create role " + role + " login password 'postgres'",
                "create table tenants (id bigserial primary key, sent boolean default false)",
                "insert into tenants select from generate_series(1, 10)",
                "alter table tenants enable row level security",
                "grant select on tenants to " + role);

        Report report = DoctorDatabase.doctor(database.dataSourceAs(role), Limits.DEFAULT)
                .examine(DoctorDatabase.request("tenants", null));

        assertThat(DoctorDatabase.only(FindingKind.ROW_LEVEL_SECURITY, report))
                .singleElement()
                .extracting(Finding::figure)
                .isEqualTo("row level security applies to this role");
        assertThat(report.notExamined().toString()).contains("grant select on sequence public.tenants_id_seq");
    }
}
