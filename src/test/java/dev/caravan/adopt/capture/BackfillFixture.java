package dev.caravan.adopt.capture;

import dev.caravan.camel.outbox.TestOutbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** A captured table with rows, and its backfill. */
final class BackfillFixture {
    static final String BOOKINGS = """
            table: shop.bookings
            aggregate-type: booking
            events:
              - {on: insert, type: booking.created}
              - {on: update, type: booking.changed}
              - {on: delete, type: booking.deleted, payload: none}
            """;

    final TestOutbox database;
    private final Path folder;

    BackfillFixture(TestOutbox database, Path folder) throws SQLException {
        this.database = database;
        this.folder = folder;
        database.execute("create schema shop; create table shop.bookings (id bigint primary key, v text, note text)");
    }

    void insertRows(int count) throws SQLException {
        database.execute("insert into shop.bookings select i, 'old ' || i from generate_series(1, " + count + ") as i");
    }

    Path file(String yaml) throws IOException {
        return Files.writeString(folder.resolve("bookings.yaml"), yaml);
    }

    Backfill backfill() throws Exception {
        return backfill(BOOKINGS);
    }

    Backfill backfill(String yaml) throws Exception {
        return backfill(database.dataSource(), file(yaml));
    }

    static Backfill backfill(DataSource dataSource, Path file) throws SQLException {
        return Backfill.of(dataSource, List.of(file)).get(0);
    }

    /** Begins or continues, and runs until it is complete. */
    static void complete(Backfill backfill, int chunk) throws SQLException {
        try (backfill) {
            backfill.begin(false);
            finish(backfill, chunk);
        }
    }

    static void finish(Backfill backfill, int chunk) throws SQLException {
        while (!backfill.next(chunk).finished()) {
            Thread.onSpinWait();
        }
    }

    /** Key, type and column v of each message in order. */
    List<String> messages() {
        return database.jdbc()
                .queryForList(
                        "select concat_ws(' ', aggregate_id, substr(type, 9), payload ->> 'v') from outbox order by id",
                        String.class);
    }
}
