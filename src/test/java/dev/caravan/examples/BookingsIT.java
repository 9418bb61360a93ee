package dev.caravan.examples;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.TestHttp;
import dev.caravan.relay.Relay;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example {@code bookings}: the old readers work until they have finished, while the application goes on writing. */
@Tag("long")
class BookingsIT {
    private static final long POLL_NANOS = 10_000_000;

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path workspace;

    private final AtomicBoolean readersStopped = new AtomicBoolean();
    private final AtomicBoolean writerStopped = new AtomicBoolean();
    private final AtomicInteger written = new AtomicInteger();
    private final List<String> handledByReader = new CopyOnWriteArrayList<>();
    private final ExecutorService application = Executors.newCachedThreadPool();

    @Test
    void each_change_is_handled_once_by_a_reader_or_by_a_relay_also_when_relays_take_turns() throws Exception {
        try (var calendar = new TestHttp(204);
                var example = new Example("bookings", workspace)) {
            example.given("CALENDAR_URL", calendar.url());
            example.execute(Path.of("examples/bookings/schema.sql"));
            Future<Void> writer = application.submit(() -> write(example));
            List<Future<Void>> readers = List.of(
                    application.submit(() -> read(example, "calendar")),
                    application.submit(() -> read(example, "ledger")));
            assertThat(example.follow("## Prepare")).contains("time-order", "No problems found");
            awaitWritten(20);

            example.follow("### 1. Let the readers finish");
            readersStopped.set(true);
            for (Future<Void> each : readers) {
                each.get();
            }
            int old = handledByReader.size();
            assertThat(example.follow("### 2. Switch")).contains("calendar", "ledger");
            awaitWritten(20);
            try (Relay second = example.relay()) {
                awaitWritten(10);
                example.stopRelay(); // as SIGTERM does
                awaitWritten(20);
                writerStopped.set(true);
                writer.get();

                long changes = 2L * written.get();
                eventually(() -> assertThat(old + calendar.bodies().size()).isEqualTo((int) changes));
                eventually(() -> assertThat(example.number("select count(*) from ledger"))
                        .isEqualTo(changes));
                assertThat(example.follow("## What is better now")).contains("calendar", "ledger");
            }

            List<String> handled = new ArrayList<>(handledByReader);
            for (String body : calendar.bodies()) {
                handled.add(JSON.readTree(body).get("id") + " "
                        + JSON.readTree(body).get("status").textValue());
            }
            Set<String> expected = new HashSet<>();
            for (int id = 1; id <= written.get(); id++) {
                expected.addAll(List.of(id + " open", id + " confirmed"));
            }
            assertThat(handled).doesNotHaveDuplicates().hasSameElementsAs(expected);
            assertThat(example.jdbc()
                            .queryForList(
                                    "select booking_id || ' ' || status from ledger order by entry", String.class))
                    .as("strict order: as written")
                    .isSortedAccordingTo((one, two) -> place(one) - place(two));
        }
    }

    private static int place(String entry) {
        return 2 * Integer.parseInt(entry.split(" ")[0]) + (entry.endsWith("open") ? 0 : 1);
    }

    /** The application: a booking is confirmed when the old readers have seen it open, because they read only the last state. */
    private Void write(Example example) throws Exception {
        for (int id = 1; !writerStopped.get(); id++) {
            example.execute("insert into bookings values (" + id + ", 'c', 'open')");
            String seen = "select count(*) from ledger where booking_id = " + id;
            String open = id + " open";
            eventually(() -> assertThat(
                            example.number(seen) > 0 && (readersStopped.get() || handledByReader.contains(open)))
                    .isTrue());
            example.execute(
                    "update bookings set status = 'confirmed', updated_at = clock_timestamp() where id = " + id);
            written.incrementAndGet();
        }
        return null;
    }

    /** An old reader. */
    private Void read(Example example, String reader) {
        while (!readersStopped.get()) {
            LockSupport.parkNanos(POLL_NANOS);
            example.jdbc()
                    .query(
                            "select id, status, updated_at from bookings"
                                    + " where updated_at > (select position from readers where name = ?)"
                                    + " order by updated_at limit 100",
                            row -> {
                                Timestamp position = row.getTimestamp("updated_at");
                                if (reader.equals("ledger")) {
                                    example.jdbc()
                                            .update(
                                                    "insert into ledger (booking_id, status) values (?, ?)",
                                                    row.getLong("id"),
                                                    row.getString("status"));
                                } else {
                                    handledByReader.add(row.getLong("id") + " " + row.getString("status"));
                                }
                                example.jdbc()
                                        .update("update readers set position = ? where name = ?", position, reader);
                            },
                            reader);
        }
        return null;
    }

    private void awaitWritten(int more) throws Exception {
        int goal = written.get() + more;
        eventually(() -> assertThat(written.get()).isGreaterThanOrEqualTo(goal));
    }
}
