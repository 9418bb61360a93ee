package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConcurrentWritersIT {
    private static final int WRITERS = 8;
    private static final int TRANSACTIONS = 900;
    private static final int KEYS = 40;

    private final TestOutbox outbox = TestOutbox.create();

    @ParameterizedTest
    @ValueSource(strings = "orders")
    void every_committed_message_arrives_once_and_in_order_of_its_key(String uri) throws Exception {
        TestDestination destination = new TestDestination();
        outbox.execute("create table aggregate (id int primary key, version int not null)");
        outbox.execute("insert into aggregate select n, 0 from generate_series(1, ?) n", KEYS);
        try (var relay = TestRelay.start(outbox, uri, destination)) {
            writeAtOnce();

            long last = outbox.number("select max(id) from outbox");
            eventually(Duration.ofSeconds(30), () -> {
                assertThat(outbox.saved("orders").position()).isEqualTo(last);
                assertThat(outbox.saved("orders").gaps().isEmpty()).isTrue();
            });
        }

        long committed = outbox.number("select count(*) from outbox");
        assertThat(committed).isGreaterThan(5_000).isLessThan(last()); // some were rolled back
        assertThat(destination.ids()).hasSize((int) committed).doesNotHaveDuplicates();
        assertThat(versions(destination)).isEqualTo(expectedVersions());
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"orders?window=20&concurrency=3", "orders?pipelined=true"})
    void so_it_does_with_a_small_window_and_when_pipelined(String uri) throws Exception {
        every_committed_message_arrives_once_and_in_order_of_its_key(uri);
    }

    private long last() {
        return outbox.number("select last_value from outbox_id_seq");
    }

    private void writeAtOnce() throws Exception {
        var threads = Executors.newFixedThreadPool(WRITERS);
        try {
            List<Callable<Void>> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                int seed = i;
                writers.add(() -> write(new Random(seed)));
            }
            for (Future<Void> writer : threads.invokeAll(writers)) {
                writer.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Each transaction locks its aggregate before it inserts, as an application that changes the aggregate does. */
    private Void write(Random random) throws SQLException {
        try (Connection connection = outbox.unpooled().getConnection()) {
            connection.setAutoCommit(false);
            try (var change =
                            connection.prepareStatement("with locked as (select id, version + 1 as next from aggregate"
                                    + " where id = ? for update), changed as (update aggregate set version = next from locked"
                                    + " where aggregate.id = locked.id returning aggregate.id, version)"
                                    + " select id, version from changed");
                    var insert = connection.prepareStatement(
                            "insert into outbox (aggregate_type, aggregate_id, type, payload)"
                                    + " values ('order', ?::text, 'order.changed', ?::json)");
                    var wait = connection.prepareStatement("select pg_sleep(0.02)")) {
                for (int i = 0; i < TRANSACTIONS; i++) {
                    change.setInt(1, 1 + random.nextInt(KEYS));
                    try (var changed = change.executeQuery()) {
                        changed.next();
                        insert.setString(1, changed.getString(1));
                        insert.setString(2, changed.getString(2));
                    }
                    insert.execute();
                    int fate = random.nextInt(100);
                    if (fate < 5) {
                        connection.rollback();
                        continue;
                    }
                    if (fate < 10) {
                        wait.execute();
                    }
                    connection.commit();
                }
            }
        }
        return null;
    }

    private static Map<String, List<String>> versions(TestDestination destination) {
        Map<String, List<String>> versions = new HashMap<>();
        destination.arrivals().forEach(arrival -> versions.computeIfAbsent(arrival.key(), key -> new ArrayList<>())
                .add(arrival.body().toString()));
        return versions;
    }

    /** 1, 2, 3 … up to the version of each aggregate. */
    private Map<String, List<String>> expectedVersions() {
        Map<String, List<String>> versions = new HashMap<>();
        outbox.jdbc().query("select id, version from aggregate", row -> {
            List<String> expected = new ArrayList<>();
            for (int version = 1; version <= row.getInt(2); version++) {
                expected.add(Integer.toString(version));
            }
            versions.put(row.getString(1), expected);
        });
        return versions;
    }
}
