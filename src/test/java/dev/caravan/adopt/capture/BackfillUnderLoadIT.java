package dev.caravan.adopt.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Sql;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Four writers beside a backfill. The messages are replayed in order of id, which is the order of delivery of a key, because a change of a
 * row waits for the transaction of the earlier one. {@code -Dseeds=10} runs more histories.
 */
class BackfillUnderLoadIT {
    private static final int ROWS = 3_000;
    /** A deadlock, a key that exists already, and a change of the same row meanwhile. */
    private static final Set<String> EXPECTED = Set.of("40P01", "23505", "40001");

    @TempDir
    private Path folder;

    private final AtomicLong versions = new AtomicLong();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final List<Throwable> failed = new CopyOnWriteArrayList<>();

    static List<Long> seeds() {
        int count = Integer.getInteger("seeds", 1);
        return new Random().longs(count).boxed().toList();
    }

    @Test
    void nothing_is_missing_stale_or_duplicated() throws Exception {
        nothingIsMissingStaleOrDuplicated(1);
    }

    @ParameterizedTest
    @Tag("long")
    @MethodSource("seeds")
    void nothing_is_missing_stale_or_duplicated_with_a_random_seed(long seed) throws Exception {
        nothingIsMissingStaleOrDuplicated(seed);
    }

    private void nothingIsMissingStaleOrDuplicated(long seed) throws Exception {
        try (TestOutbox database = TestOutbox.create()) {
            BackfillFixture shop = new BackfillFixture(database, folder);
            database.execute("create table shop.other (x bigint)");
            shop.insertRows(ROWS);
            List<Thread> writers = new ArrayList<>();
            for (int writer = 0; writer < 4; writer++) {
                Random random = new Random(seed + writer);
                writers.add(new Thread(() -> write(database, random)));
            }
            writers.forEach(Thread::start);
            try {
                backfill(shop, new Random(seed + 4));
            } finally {
                ended.set(true);
                for (Thread writer : writers) {
                    writer.join();
                }
            }
            assertThat(failed).isEmpty();
            compare(database, seed);
        }
    }

    /** Several processes one after the other. */
    private void backfill(BackfillFixture shop, Random random) throws Exception {
        boolean finished = false;
        for (int process = 0; !finished; process++) {
            try (Backfill backfill = shop.backfill()) {
                assertThat(backfill.begin(false))
                        .isEqualTo(process == 0 ? Backfill.Start.NEW : Backfill.Start.CONTINUED);
                for (int chunk = random.nextInt(30); chunk >= 0 && !finished; chunk--) {
                    finished = backfill.next(1 + random.nextInt(60)).finished();
                }
            }
        }
    }

    private void write(TestOutbox database, Random random) {
        try (Connection connection = database.unpooled().getConnection()) {
            connection.setAutoCommit(false);
            while (!ended.get()) {
                try {
                    transaction(connection, random);
                } catch (SQLException e) {
                    if (!EXPECTED.contains(e.getSQLState())) {
                        throw e;
                    }
                    connection.rollback();
                }
            }
        } catch (Throwable e) {
            failed.add(e);
        }
    }

    private void transaction(Connection connection, Random random) throws SQLException {
        for (int change = random.nextInt(4); change >= 0; change--) {
            Savepoint savepoint = random.nextInt(4) == 0 ? connection.setSavepoint() : null;
            Sql.execute(connection, change(random));
            if (savepoint != null && random.nextBoolean()) {
                connection.rollback(savepoint);
            } else if (savepoint != null && random.nextBoolean()) {
                connection.releaseSavepoint(savepoint);
            }
        }
        if (random.nextInt(8) == 0) {
            connection.rollback();
        } else {
            connection.commit();
        }
    }

    private String change(Random random) {
        long id = random.nextInt(ROWS * 11 / 10);
        String version = "'v" + versions.incrementAndGet() + "'";
        return switch (random.nextInt(8)) {
            case 0, 1 -> "insert into shop.bookings values (" + id + ", " + version + ")";
            case 2, 3 -> "update shop.bookings set v = " + version + " where id = " + id;
            case 4 -> "update shop.bookings set v = v where id = " + id; // not captured
            case 5 -> "delete from shop.bookings where id = " + id;
            case 6 ->
                "update shop.bookings set v = " + version + ", id = " + random.nextInt(ROWS * 11 / 10) + " where id = "
                        + id;
            default -> "insert into shop.other values (" + id + ")";
        };
    }

    /** Each version of a row is in the outbox at most once, and the last message of each key is as the table. */
    private void compare(TestOutbox database, long seed) {
        Map<Long, String> table = new TreeMap<>();
        database.jdbc().query("select id, v from shop.bookings", row -> {
            table.put(row.getLong("id"), row.getString("v"));
        });
        Map<Long, String> replayed = new TreeMap<>();
        Map<String, Integer> times = new HashMap<>();
        Map<String, Integer> types = new TreeMap<>();
        database.jdbc()
                .query(
                        "select aggregate_id::bigint as id, type, payload ->> 'v' as v from outbox order by outbox.id",
                        row -> {
                            types.merge(row.getString("type"), 1, Integer::sum);
                            if (row.getString("v") == null) {
                                replayed.remove(row.getLong("id"));
                            } else {
                                replayed.put(row.getLong("id"), row.getString("v"));
                                times.merge(row.getLong("id") + " " + row.getString("v"), 1, Integer::sum);
                            }
                        });
        System.out.println("seed " + seed + ": " + types);
        assertThat(replayed).as("seed " + seed).isEqualTo(table);
        assertThat(times.entrySet().stream().filter(each -> each.getValue() > 1).toList())
                .as("doubled, seed " + seed)
                .isEmpty();
    }
}
