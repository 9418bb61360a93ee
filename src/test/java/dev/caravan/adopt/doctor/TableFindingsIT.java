package dev.caravan.adopt.doctor;

import static dev.caravan.adopt.doctor.FindingKind.*;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tables with problems: each finding about a table of messages. Takes about 15 s. */
class TableFindingsIT {
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static DoctorDatabase database;

    private final String table = "t" + NUMBER.incrementAndGet();

    @BeforeAll
    static void create() throws SQLException {
        database = DoctorDatabase.create();
    }

    /** Creates the table, runs statements in which {@code T} is its name, and returns its only finding of a kind. */
    private Finding finding(FindingKind kind, String columns, String... statements) throws SQLException {
        ill(columns, statements);
        assertThat(database.findings(table, kind)).as("%s", kind).hasSize(1);
        return database.findings(table, kind).get(0);
    }

    /** As {@link #finding}, and its statement removes the problem. */
    private Finding remedied(FindingKind kind, String columns, String... statements) throws SQLException {
        Finding finding = finding(kind, columns, statements);
        remedy(finding);
        return finding;
    }

    private void remedy(Finding finding) throws SQLException {
        database.execute(finding.sql().split("\n"));
        assertThat(database.findings(table, finding.kind())).isEmpty();
    }

    private void none(FindingKind kind, String columns, String... statements) throws SQLException {
        ill(columns, statements);
        assertThat(database.findings(table, kind)).isEmpty();
    }

    private void ill(String columns, String... statements) throws SQLException {
        database.execute("drop table if exists " + table + " cascade", "create table " + table + " (" + columns + ")");
        for (String statement : statements) {
            database.execute(statement.replaceAll("\\bT\\b", table));
        }
    }

    @Test
    void unlogged() throws Exception {
        Finding finding = remedied(UNLOGGED_TABLE, "id bigint primary key", "alter table T set unlogged");

        assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
    }

    @Test
    void without_a_primary_key() throws Exception {
        remedied(NO_PRIMARY_KEY, "id bigint not null, payload json");
    }

    @Test
    void jsonb_payload_but_not_jsonb_headers() throws Exception {
        Finding finding = remedied(JSONB_PAYLOAD, "id bigint primary key, headers jsonb, \"eventData\" jsonb");

        assertThat(finding.about()).endsWith(".\"eventData\"");
    }

    @Test
    void row_level_security() throws Exception {
        assertThat(finding(ROW_LEVEL_SECURITY, "id bigint primary key", "alter table T enable row level security")
                        .figure())
                .isEqualTo("row level security is enabled");
    }

    @Test
    void a_trigger_that_is_disabled_or_not_fired_by_a_subscription() throws Exception {
        String trigger = "create trigger record after insert on T for each row execute function"
                + " suppress_redundant_updates_trigger()";
        Finding disabled =
                finding(TRIGGER_DISABLED, "id bigint primary key", trigger, "alter table T disable trigger record");
        assertThat(disabled.about()).isEqualTo("record on public." + table);
        database.execute(disabled.sql());
        assertThat(database.examine(table).findings()).isEmpty();

        subscribe();
        try {
            remedy(database.findings(table, TRIGGER_NOT_REPLICATED).get(0));
        } finally {
            unsubscribe();
        }
    }

    /** A subscription to this database itself, which never starts. */
    private void subscribe() throws SQLException {
        database.execute(
                "create publication p for table " + table,
                "select pg_create_logical_replication_slot('s', 'pgoutput')",
                "create subscription s connection 'dbname=" + database.name() + " user=postgres host=localhost port="
                        + database.text("show port")
                        + "' publication p with (enabled = false, create_slot = false, slot_name = 's', copy_data ="
                        + " false)");
    }

    private void unsubscribe() throws SQLException {
        database.execute("drop subscription s", "drop publication p");
    }

    @Test
    void narrow_ids_that_run_out() throws Exception {
        assertThat(finding(NARROW_IDS, "id serial primary key").figure())
                .isEqualTo("integer: at most 2,147,483,647 ids");
        assertThat(database.findings(table, IDS_RUN_OUT)).isEmpty();

        database.execute("select setval('" + table + "_id_seq', 1200000000)");
        Finding warning = database.findings(table, IDS_RUN_OUT).get(0);
        assertThat(warning.severity()).isEqualTo(Severity.WARNING);
        assertThat(warning.figure()).isEqualTo("55.9 % used: 1,200,000,000 of 2,147,483,647");

        database.execute("select setval('" + table + "_id_seq', 2000000000)");
        assertThat(database.findings(table, IDS_RUN_OUT).get(0).severity()).isEqualTo(Severity.CRITICAL);
        database.execute(warning.sql());
        assertThat(database.findings(table, NARROW_IDS)).isEmpty();
    }

    @Test
    void a_sequence_with_a_low_maximum_and_ids_without_a_sequence() throws Exception {
        Finding finding = remedied(
                IDS_RUN_OUT,
                "id bigint primary key generated always as identity (maxvalue 100)",
                "select setval(pg_get_serial_sequence('T', 'id'), 60)");
        assertThat(finding.figure()).isEqualTo("60.0 % used: 60 of 100");

        assertThat(finding(IDS_RUN_OUT, "id smallint primary key", "insert into T values (20000)")
                        .figure())
                .startsWith("61.0 % used: 20,000");
    }

    @Test
    void a_sequence_with_cache_and_cycle_and_increment() throws Exception {
        ill("id bigint primary key generated by default as identity (cache 20 cycle increment by 2)");

        for (FindingKind kind : new FindingKind[] {SEQUENCE_CACHE, SEQUENCE_CYCLES, SEQUENCE_INCREMENT}) {
            remedy(database.findings(table, kind).get(0));
        }
    }

    @Test
    void a_sequence_behind_the_table() throws Exception {
        Finding finding = remedied(SEQUENCE_BEHIND, "id bigserial primary key", "insert into T values (1), (2), (50)");

        assertThat(finding.figure()).isEqualTo("at 0, but the table contains id 50");
        assertThat(database.text("insert into " + table + " default values returning id"))
                .isEqualTo("51");
    }

    @Test
    void order_by_time_with_inversions_and_equal_times() throws Exception {
        ill(
                "id bigserial primary key, created_at timestamptz default now()",
                "insert into T (created_at) select timestamptz '2026-01-01' + n * interval '1 s' from"
                        + " generate_series(1, 20000) n",
                "update T set created_at = created_at - interval '1 minute' where id in (15000, 16000, 4)",
                "update T set created_at = (select created_at from T where id = 17000) where id = 17001");

        Finding finding = DoctorDatabase.only(
                        TIME_ORDER,
                        database.examine(new Request(Optional.of(table), Optional.empty(), Optional.of("created_at"))))
                .get(0);

        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(finding.figure())
                .isEqualTo("of the latest 10,000: 2 older than the one before, 1 with the time of another");
        assertThat(database.findings(table, TIME_ORDER)).isEmpty();
    }

    @Test
    void order_by_time_is_recognized_for_uuids() throws Exception {
        Finding finding = finding(
                TIME_ORDER,
                "id uuid primary key default gen_random_uuid(), created_at timestamptz default now()",
                "insert into T default values",
                "insert into T select from generate_series(1, 10)");

        assertThat(finding.figure()).isEqualTo("of the latest 11: 9 with the time of another");
    }

    @Test
    void times_without_zone_or_default() throws Exception {
        remedied(TIMESTAMP_WITHOUT_ZONE, "id bigint primary key, created_at timestamp default now(), note text");
        remedied(TIMESTAMP_WITHOUT_DEFAULT, "id bigint primary key, occurred_at timestamptz");
    }

    @Test
    void duplicate_message_ids() throws Exception {
        Finding finding = finding(
                DUPLICATE_MESSAGE_IDS,
                "id bigserial primary key, event_id uuid",
                "insert into T (event_id) select gen_random_uuid() from generate_series(1, 20)",
                "insert into T (event_id) select event_id from T where id in (3, 4)");

        assertThat(finding.figure()).isEqualTo("2 of the latest 22 are repeated");
        database.execute("delete from " + table + " where id > 20", finding.sql());
        assertThat(database.findings(table, DUPLICATE_MESSAGE_IDS)).isEmpty();
    }

    private static final String OUTBOX =
            "id bigserial primary key, created_at timestamptz default now(), published_at timestamptz";
    private static final String MANY = "insert into T (created_at, published_at)"
            + " select now() - interval '1 h', now() - interval '1 h' from generate_series(1, 20000)";

    @Test
    void no_index_for_the_poll() throws Exception {
        assertThat(finding(POLL_WITHOUT_INDEX, OUTBOX).severity()).isEqualTo(Severity.NOTE);

        Finding finding = finding(POLL_WITHOUT_INDEX, OUTBOX, MANY, "analyze T");

        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        database.execute(finding.sql(), "analyze " + table);
        assertThat(database.examine(table).findings()).isEmpty();
    }

    @Test
    @Tag("long")
    void an_index_in_another_order_or_with_published_rows() throws Exception {
        Finding sorted = finding(
                POLL_SORTS,
                OUTBOX,
                "insert into T (published_at) select now() from generate_series(1, 200000)",
                "insert into T select from generate_series(1, 1500)",
                "create index on T (created_at) where published_at is null",
                "analyze T");
        assertThat(sorted.figure()).startsWith("sorts about ");

        Finding whole =
                finding(POLL_INDEX_NOT_PARTIAL, OUTBOX, MANY, "create index on T (published_at, id)", "analyze T");
        assertThat(whole.about()).isEqualTo("public." + table + "_published_at_id_idx");
        remedy(database.findings(table, PUBLISHED_INDEXED).get(0));
        assertThat(database.examine(table).findings()).isEmpty();
    }

    @Test
    void an_invalid_index() throws Exception {
        ill("id bigint primary key, key text", "insert into T values (1, 'a'), (2, 'a')");
        try {
            database.execute("create unique index concurrently broken on " + table + " (key)");
        } catch (SQLException expected) {
            assertThat(expected.getMessage()).contains("could not create unique index");
        }

        Finding finding = database.findings(table, INVALID_INDEX).get(0);

        database.execute("update " + table + " set key = id", finding.sql());
        assertThat(database.findings(table, INVALID_INDEX)).isEmpty();
    }

    @Test
    void partitions_by_the_published_time_and_without_the_index() throws Exception {
        database.execute(
                "create table parted (id bigserial, created_at timestamptz default now(), published_at timestamptz)"
                        + " partition by list ((published_at is null))",
                "create table parted_pending partition of parted for values in (true)",
                "create table parted_done partition of parted for values in (false)",
                "create index on parted_pending (id)");

        assertThat(database.findings("parted", PARTITIONED_BY_PUBLISHED).get(0).figure())
                .contains("published_at IS NULL");
        Finding finding = database.findings("parted", PARTITION_WITHOUT_INDEX).get(0);
        assertThat(finding.figure()).isEqualTo("1 of 2 partitions lack it: public.parted_done");
        database.execute(finding.sql());
        assertThat(database.findings("parted", PARTITION_WITHOUT_INDEX)).isEmpty();
    }

    @Test
    void a_stuck_message_beside_newer_published_ones() throws Exception {
        String poison = "update T set published_at = null where id = 17";
        Finding finding = finding(STUCK_MESSAGE, OUTBOX, MANY, poison);
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(finding.figure()).matches("message 17 has waited for 1h( \\d+m)?, 1,000 or more newer published");
        assertThat(database.text(finding.sql())).isEqualTo("17");

        database.execute("update " + table + " set created_at = now() - interval '25 h' where id = 17");
        assertThat(database.findings(table, STUCK_MESSAGE).get(0).severity()).isEqualTo(Severity.CRITICAL);
        none(STUCK_MESSAGE, OUTBOX, MANY, "insert into T default values");
    }

    @Test
    void nothing_published() throws Exception {
        Finding finding = finding(
                NOTHING_PUBLISHED,
                OUTBOX,
                "insert into T (created_at) select now() - interval '10 m' from generate_series(1, 3)");

        assertThat(finding.figure()).matches("message 1 has waited for 10m( \\d+s)?, 3 pending");
        database.execute("update " + table + " set created_at = now()");
        assertThat(database.findings(table, NOTHING_PUBLISHED)).isEmpty();
    }

    @Test
    void a_text_id_is_not_shown() throws Exception {
        Finding finding = finding(
                NOTHING_PUBLISHED,
                "id text primary key, created_at timestamptz default now(), status text default 'new'",
                "insert into T values ('secret@example.org', now() - interval '10 m')");

        assertThat(finding.figure()).matches("the oldest message has waited for 10m( \\d+s)?, 1 pending");
        assertThat(finding.toString()).doesNotContain("secret");
        assertThat(finding.sql()).isEmpty();
    }

    @Test
    void published_rows_that_nobody_removes() throws Exception {
        Finding finding = finding(
                PUBLISHED_ROWS_KEPT,
                OUTBOX,
                "insert into T (created_at, published_at) select now() - interval '31 days', now() from"
                        + " generate_series(1, 100000)",
                "analyze T");

        assertThat(finding.figure()).isEqualTo("about 100,000 rows, the oldest published 31d old");
        database.execute(finding.sql());
        assertThat(database.text("select count(*) from " + table)).isEqualTo("90000");
    }

    @Test
    void dead_rows_and_updates_that_are_not_hot_and_autovacuum_off() throws Exception {
        Finding dead = finding(
                DEAD_ROWS,
                OUTBOX,
                "alter table T set (autovacuum_enabled = off)",
                "create index on T (published_at)",
                "insert into T select from generate_series(1, 20000)",
                "update T set published_at = now()");
        assertThat(dead.figure()).isEqualTo("20,000 dead and 20,000 live rows, last vacuum unknown");
        assertThat(database.findings(table, LOW_HOT_SHARE).get(0).figure()).isEqualTo("0 % of 20,000 updates are HOT");
        Finding off = database.findings(table, AUTOVACUUM_OFF).get(0);

        remedy(off);
        remedy(dead);
    }
}
