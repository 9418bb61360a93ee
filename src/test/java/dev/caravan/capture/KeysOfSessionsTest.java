package dev.caravan.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.outbox.TestOutbox;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The key of a captured row does not depend on the settings of the session that writes it. */
class KeysOfSessionsTest {
    private static final String OTHER_SESSION = "set TimeZone = 'Asia/Kathmandu';"
            + " set IntervalStyle = 'sql_standard'; set bytea_output = 'escape'; set extra_float_digits = -5; ";

    @TempDir
    private Path folder;

    private TestOutbox database;
    private BackfillFixture shop;

    @BeforeEach
    void create() throws Exception {
        database = TestOutbox.create();
        shop = new BackfillFixture(database, folder);
        database.execute(
                "create domain shop.moment as timestamptz; create table shop.prices (a timestamptz, b bytea, c float8, d interval,"
                        + " e date, f shop.moment, v text, primary key (a, b, c, d, e, f)); insert into shop.prices select t, 'a\\001'::bytea,"
                        + " 0.1234567890123456, '1 day 2 hours', '2026-03-04', t, 'old' from (values (timestamptz '2026-03-04 05:06Z')) x (t)");
    }

    @AfterEach
    void close() throws Exception {
        database.close();
    }

    @Test
    void triggers_in_all_sessions_and_a_backfill_write_the_same_key_for_a_row() throws Exception {
        String file = "table: shop.prices\naggregate-type: price\nevents: [{on: insert, type: price.set},"
                + " {on: update, type: price.set}, {on: delete, type: price.set, payload: none}]";
        BackfillFixture.complete(shop.backfill(file), 10);

        database.execute("update shop.prices set v = 'here'");
        try (var connection = database.unpooled().getConnection();
                var session = connection.createStatement()) {
            session.execute(OTHER_SESSION + "update shop.prices set v = 'there'; delete from shop.prices");
        }

        assertThat(database.jdbc().queryForList("select distinct aggregate_id from outbox", String.class))
                .containsExactly(
                        "2026-03-04 05:06:00+00/\\x6101/0.1234567890123456/1 day 02:00:00/2026-03-04/2026-03-04 05:06:00+00");
        assertThat(database.number("select count(*) from outbox")).isEqualTo(4);
        assertThat(shop.backfill(file).messages()).isEqualTo(1);
        try (Backfill again = shop.backfill(file)) {
            assertThat(again.begin(false)).as("the capture is as in its file").isEqualTo(Backfill.Start.COMPLETE);
        }
    }
}
