package dev.caravan.adopt.capture;

import static dev.caravan.adopt.capture.BackfillFixture.complete;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.KilledCommand;
import dev.caravan.camel.outbox.TestOutbox;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process is killed before one of its statements, and a second one continues. */
class KilledBackfillIT {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(ints = {10, 20, 30})
    void the_result_is_the_same_if_the_first_process_dies_in_the_middle(int statement) throws Exception {
        try (TestOutbox database = TestOutbox.create()) {
            assertThat(resultIsTheSameAfterTheEndBefore(statement, new BackfillFixture(database, folder)))
                    .isTrue();
        }
    }

    @Test
    @Tag("long")
    void the_result_is_the_same_wherever_the_first_process_dies() throws Exception {
        try (TestOutbox database = TestOutbox.create()) {
            BackfillFixture shop = new BackfillFixture(database, folder);
            int statement = 1;
            while (resultIsTheSameAfterTheEndBefore(statement, shop)) {
                statement++;
            }
            assertThat(statement - 1).as("statements of a backfill").isGreaterThan(30);
        }
    }

    /** Returns whether there was such a statement. */
    private static boolean resultIsTheSameAfterTheEndBefore(int statement, BackfillFixture shop) throws Exception {
        TestOutbox database = shop.database;
        Path file = shop.file(BackfillFixture.BOOKINGS);
        boolean killed = false;
        reset(shop);
        try (HikariDataSource first = database.pool()) {
            runAndChange(BackfillFixture.backfill(new KilledCommand(first, statement, false), file), database);
        } catch (KilledCommand.Killed e) {
            killed = true;
        }
        // where it was killed before, the row is changed now
        database.execute("update shop.bookings set v = 'x' where id = 2 and v <> 'x'");
        try (HikariDataSource second = database.pool()) {
            complete(BackfillFixture.backfill(second, file), 3);
        }
        assertThat(last(database))
                .as("before statement " + statement)
                .containsExactly("1 old 1", "2 x", "3 old 3", "4 old 4");
        assertThat(shop.messages()).doesNotHaveDuplicates();
        assertThat(database.number("select count(*) from outbox where type = 'booking.snapshot'"))
                .isBetween(3L, 4L);
        return killed;
    }

    private static void reset(BackfillFixture shop) throws SQLException {
        new Captures(shop.database.dataSource()).remove("bookings");
        shop.database.execute("truncate shop.bookings, outbox");
        shop.insertRows(4);
    }

    /** One row is changed with a message after the first chunk, and one without. */
    private static void runAndChange(Backfill backfill, TestOutbox database) throws SQLException {
        try (backfill) {
            backfill.begin(false);
            backfill.next(1);
            database.execute(
                    "update shop.bookings set v = 'x' where id = 2; update shop.bookings set v = v where id = 4");
            BackfillFixture.finish(backfill, 3);
        }
    }

    private static List<String> last(TestOutbox database) {
        return database.jdbc()
                .queryForList(
                        "select distinct on (aggregate_id) aggregate_id || ' ' || (payload ->> 'v') from outbox"
                                + " order by aggregate_id, id desc",
                        String.class);
    }
}
