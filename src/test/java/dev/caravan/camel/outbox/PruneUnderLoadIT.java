package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.clock.Clock;
import dev.caravan.operate.partition.Partitions;
import dev.caravan.operate.partition.Pruning;
import dev.caravan.operate.partition.Retention;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Partitions of 500 ids are created and pruned while applications insert and a relay delivers. */
class PruneUnderLoadIT {
    private static final Logger LOG = LoggerFactory.getLogger(PruneUnderLoadIT.class);
    private static final Retention NONE = Retention.of(Duration.ZERO);
    private static final int WRITERS = 4;
    /** Generous: other work on the machine counts too. An insert that waits for a transaction waits until the test ends. */
    private static final long LONGEST_WAIT_MILLIS = 15_000;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicBoolean stop = new AtomicBoolean();
    private final List<Future<Written>> writers = new ArrayList<>();
    private final TestOutbox outbox = TestOutbox.create();
    private Partitions partitions;
    private Pruning pruning;

    /** What one application did: ids that were committed, by key, and how long each insert took, in microseconds. */
    private record Written(Map<String, List<Long>> ids, List<Long> micros) {}

    @BeforeEach
    void smallPartitions() throws SQLException {
        outbox.execute("drop table outbox_from_0");
        outbox.execute("create table outbox_from_0 partition of outbox for values from (0) to (500)");
        // so far ahead that ids never run past them, however long a round of pruning waits
        partitions = new Partitions(outbox.dataSource(), 500, 40, Clock.SYSTEM);
        pruning = new Pruning(outbox.dataSource(), 5);
        partitions.makeAhead();
    }

    @AfterEach
    void end() throws Exception {
        stop.set(true);
        threads.shutdownNow();
    }

    @Tag("long")
    @Test
    void nothing_is_lost_repeated_or_out_of_order_while_partitions_come_and_go() throws Exception {
        TestDestination destination = new TestDestination();
        int pruned = 0;
        Map<String, List<Long>> written;
        try (var relay = TestRelay.start(outbox, "orders", destination)) {
            write(5);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
            while (pruned < 8 && System.nanoTime() < end) {
                partitions.makeAhead();
                pruned += prune().pruned().size();
            }
            written = finish("prune under load");
            long last = outbox.number("select last_value from outbox_id_seq");
            eventually(Duration.ofSeconds(60), () -> assertThat(outbox.saved("orders"))
                    .satisfies(saved -> assertThat(saved.position()).isGreaterThan(last - 20))
                    .satisfies(saved -> assertThat(saved.gaps().isEmpty()).isTrue()));
        }

        assertThat(pruned).isGreaterThanOrEqualTo(8);
        assertThat(outbox.number("select min(id) from outbox"))
                .as("what is pruned is gone")
                .isGreaterThan(500);
        written.forEach((key, ids) -> assertThat(destination.idsOf(key)).as(key).isEqualTo(ids));
    }

    @Tag("long")
    @Test
    void nothing_is_lost_repeated_or_out_of_order_while_messages_leave_the_default_partition() throws Exception {
        TestDestination destination = new TestDestination();
        Map<String, List<Long>> written;
        String defaulted = "select count(*) from outbox_default";
        outbox.execute("select setval('outbox_id_seq', 100000)");
        try (var relay = TestRelay.start(outbox, "orders", destination)) {
            write(5);
            eventually(Duration.ofSeconds(60), () -> assertThat(outbox.number(defaulted))
                    .isGreaterThan(1_500));
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            int made = 0;
            while (made == 0 && System.nanoTime() < end) {
                made = new Partitions(outbox.dataSource(), 20_000, 1, Clock.SYSTEM).makeAhead();
            }
            assertThat(made).isPositive();
            assertThat(outbox.number(defaulted)).isZero();
            written = finish("move under load");
            long last = outbox.number("select max(id) from outbox");
            outbox.awaitPassed("orders", last);
        }
        written.forEach((key, ids) -> assertThat(destination.idsOf(key)).as(key).isEqualTo(ids));
    }

    @Tag("long")
    @Test
    void a_long_query_over_the_outbox_makes_no_insert_wait_and_pruning_continues_after_it() throws Exception {
        outbox.insertMany(600, 1);
        outbox.execute("insert into outbox_subscription (name, position) values ('orders', 600)");
        try (Connection analyst = outbox.unpooled().getConnection()) {
            analyst.setAutoCommit(false);
            analyst.createStatement().execute("select count(*) from outbox");
            write(0);

            Pruning.Round round = prune();

            assertThat(round.pruned()).isEmpty();
            assertThat(round.postponed().orElseThrow()).contains("long transactions hold locks on the outbox");
            finish("prune beside a long query");
        }
        eventually(() -> assertThat(prune().pruned()).contains("outbox_from_0"));
    }

    @Test
    void transactions_that_overlap_without_end_are_not_held_up_for_long() throws Exception {
        outbox.insertMany(600, 1);
        outbox.execute("insert into outbox_subscription (name, position) values ('orders', 600)");
        write(100);
        List<String> pruned = new ArrayList<>();
        for (int round = 0; round < 4; round++) {
            pruned.addAll(prune().pruned());
        }
        finish("prune beside overlapping transactions");

        eventually(() -> {
            pruned.addAll(prune().pruned());
            assertThat(pruned).contains("outbox_from_0");
        });
    }

    private Pruning.Round prune() throws SQLException, InterruptedException {
        return pruning.run(NONE, partition -> true, name -> {});
    }

    /** @param slowPercent percentage of transactions that stay open for 60 ms after their insert */
    private void write(int slowPercent) {
        for (int i = 0; i < WRITERS; i++) {
            int number = i;
            writers.add(threads.submit(() -> write(number, slowPercent)));
        }
    }

    /** Each application has keys of its own, so that the order of its commits is the order of its ids. */
    private Written write(int number, int slowPercent) throws SQLException {
        Written written = new Written(new HashMap<>(), new ArrayList<>());
        Random random = new Random(number);
        while (!stop.get()) {
            String key = number + "-" + random.nextInt(5);
            try (var transaction = outbox.begin()) {
                while (!stop.get()) {
                    long started = System.nanoTime();
                    long id = transaction.insert(key);
                    written.micros.add((System.nanoTime() - started) / 1_000);
                    if (random.nextInt(100) < slowPercent) {
                        transaction.run("select pg_sleep(0.06)");
                    }
                    if (random.nextInt(100) < 5) {
                        transaction.rollback();
                    } else {
                        transaction.commit();
                        written.ids.computeIfAbsent(key, k -> new ArrayList<>()).add(id);
                    }
                    key = number + "-" + random.nextInt(5);
                }
            }
        }
        return written;
    }

    /** Stops the applications, and returns the committed ids of each key in order. */
    private Map<String, List<Long>> finish(String title) throws Exception {
        stop.set(true);
        Map<String, List<Long>> ids = new HashMap<>();
        List<Long> micros = new ArrayList<>();
        for (Future<Written> writer : writers) {
            Written written = writer.get(60, TimeUnit.SECONDS);
            ids.putAll(written.ids);
            micros.addAll(written.micros);
        }
        micros.sort(null);
        LOG.info(
                "{}: {} inserts, p50 {} us, p99 {} us, longest {} us",
                title,
                micros.size(),
                micros.get(micros.size() / 2),
                micros.get(micros.size() * 99 / 100),
                micros.get(micros.size() - 1));
        assertThat(micros.get(micros.size() - 1) / 1_000).isLessThan(LONGEST_WAIT_MILLIS);
        return ids;
    }
}
