package dev.caravan.adopt.doctor;

import static dev.caravan.adopt.doctor.FindingKind.*;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Pollers that lose messages or are too expensive, as pg_stat_statements shows them. Takes about 5 s. */
class PollFindingsIT {
    private static DoctorDatabase database;

    @BeforeAll
    static void create() throws SQLException {
        database = DoctorDatabase.create();
        database.execute(
                "create table mail (id bigserial primary key, created_at timestamptz default now(), sent boolean default false)",
                "create table mail_log (id bigserial primary key)",
                "insert into mail (sent) select n > 5 from generate_series(1, 100) n");
    }

    @BeforeEach
    void forget() throws SQLException {
        database.execute("select pg_stat_statements_reset()");
    }

    private void poll(String statement, Object... parameters) throws SQLException {
        try (var connection = database.connect();
                var prepared = connection.prepareStatement(statement)) {
            for (int i = 0; i < parameters.length; i++) {
                prepared.setObject(i + 1, parameters[i]);
            }
            for (int i = 0; i < 120; i++) {
                prepared.execute();
            }
        }
    }

    private Finding finding(FindingKind kind) throws SQLException {
        List<Finding> all = database.findings("mail", kind);
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    @Test
    void a_cursor() throws Exception {
        poll("select * from mail where id > ? order by id limit 10", 50);

        Finding finding = finding(CURSOR_POLLER);

        assertThat(finding.figure()).isEqualTo("120 calls with a cursor");
        assertThat(finding.about()).isEqualTo("select * from mail where id > $1 order by id limit $2");
    }

    @Test
    void a_cursor_in_time_and_in_two_columns() throws Exception {
        poll(
                "select * from public.mail m where (m.created_at, m.id) > (now(), 7) order by m.created_at, m.id limit 10");

        finding(CURSOR_POLLER);
        assertThat(finding(TIME_ORDER).about()).isEqualTo("public.mail.created_at (order of a poller)");
    }

    @Test
    void the_statements_of_a_backfill_are_none_of_a_poller() throws Exception {
        poll("select new.id::text from public.mail as new where ((new.id) > (7))\n"
                + "/* caravan backfill */ order by new.id offset 9 limit 1");

        assertThat(database.findings("mail", CURSOR_POLLER)).isEmpty();
        assertThat(database.findings("mail", OFFSET_POLLER)).isEmpty();
    }

    @Test
    void offset() throws Exception {
        poll("select * from mail where not sent order by id limit 10 offset 10");

        finding(OFFSET_POLLER);
        assertThat(database.findings("mail", CURSOR_POLLER)).isEmpty();
    }

    @Test
    void polls_that_find_nothing() throws Exception {
        poll("select * from mail where not sent and id < 0 order by id limit 10");
        assertThat(finding(ROWS_PER_POLL).figure()).isEqualTo("0.00 rows a poll, 120 polls");
        assertThat(database.findings("mail", SLOW_POLL)).isEmpty();
    }

    /** Every poll is too slow without a limit: a hundred that really are would take long. */
    @Test
    void a_slow_poll() throws Exception {
        poll("select * from mail where not sent order by id limit 100");

        assertThat(database.findingsWithoutLimits("mail", SLOW_POLL))
                .singleElement()
                .extracting(Finding::figure)
                .asString()
                .endsWith(" ms on average, 120 calls");
    }

    @Test
    void a_good_poll_and_statements_on_other_tables_are_no_finding() throws Exception {
        poll("select * from mail where not sent order by id limit 10 for update skip locked");
        poll(
                "update mail set sent = false where id in (select id from mail where not sent and id > 0 order by id limit 5)");
        poll("select * from mail where id = 4");
        poll("select * from mail_log where id > 5 order by id limit 1");
        poll("insert into mail_log default values");

        assertThat(database.examine("mail").findings())
                .filteredOn(finding -> finding.kind() != POLL_WITHOUT_INDEX)
                .isEmpty();
    }

    @Test
    @Tag("long")
    void the_doctor_does_not_find_itself() throws Exception {
        for (int i = 0; i < 30; i++) {
            database.examine("mail");
        }

        assertThat(database.examine("mail").findings())
                .filteredOn(finding -> finding.kind() != POLL_WITHOUT_INDEX)
                .isEmpty();
    }
}
