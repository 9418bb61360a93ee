package dev.caravan.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.delivery.Backoff;
import dev.caravan.delivery.Delivery;
import dev.caravan.delivery.OnDead;
import dev.caravan.delivery.Order;
import dev.caravan.delivery.Result;
import dev.caravan.delivery.RetryPolicy;
import dev.caravan.lane.Batch;
import dev.caravan.lane.Lane;
import dev.caravan.lane.LaneOptions;
import dev.caravan.lane.LaneStart;
import dev.caravan.lane.LaneStats;
import dev.caravan.progress.Read;
import dev.caravan.progress.Writers;
import dev.caravan.store.BatchRows;
import dev.caravan.store.Histories;
import dev.caravan.store.LaneConnections;
import dev.caravan.store.LaneId;
import dev.caravan.store.ReadStatement;
import dev.caravan.store.Start;
import dev.caravan.store.SubscriptionStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** A writer that stays open, messages that others roll back meanwhile, and a relay that sees no sessions of other roles. */
class LeftOutTest {
    private static final String[] ALL_TYPES = {"%"};
    private static final Duration LEASE = Duration.ofHours(1);
    private static final LaneOptions OPTIONS = new LaneOptions(
            Order.key,
            false,
            1,
            500,
            1 << 20,
            50_000,
            new RetryPolicy(
                    1, Duration.ofHours(1), new Backoff(Duration.ofSeconds(1), LEASE, new Random(1)), OnDead.CONTINUE),
            Duration.ofMillis(100),
            Duration.ofSeconds(3),
            Duration.ofSeconds(30));

    private TestOutbox outbox;
    private HikariDataSource pool;
    private SubscriptionStore store;
    private SubscriptionStore.Claim claim;
    private Lane lane;
    private long now;
    private TestOutbox.Transaction writer;

    @BeforeEach
    void claim() throws Exception {
        outbox = TestOutbox.create();
        writer = outbox.begin();
        pool = outbox.poolOfRoleWithGrants();
        store = store();
        store.subscribe(Start.parse("earliest"));
        take();
    }

    private SubscriptionStore store() {
        return new SubscriptionStore(
                new JdbcTemplate(new LaneConnections(pool, new Histories())),
                LaneId.only("orders"),
                "relay",
                LEASE,
                false,
                () -> now);
    }

    private void take() {
        claim = store.claim(ALL_TYPES).orElseThrow();
        LaneStart start = new LaneStart(claim.epoch(), now + LEASE.toNanos(), claim.progress(), 0);
        lane = new Lane(start, OPTIONS, new LaneStats(() -> 0), () -> now);
    }

    @AfterEach
    void close() throws Exception {
        pool.close();
        outbox.close();
    }

    @Test
    void what_waits_for_a_writer_that_is_open_is_not_looked_up() throws Exception {
        long open = writer.insert("a");
        rollBackBetweenCommits(100);
        turnForSeconds(3);

        Read read = lane.nextRead();
        assertThat(read.missing()).isEqualTo("{}");
        assertThat(read.openTransactions()).containsExactly(idOf(writer));
        assertThat(lane.state().missingIds()).isEqualTo(101);
        long id = outbox.insert("b");
        assertThat(ids(turn())).containsExactly(id);
        assertThat(ids(turn())).doesNotContain(open);
    }

    @Test
    void the_first_read_after_its_commit_is_not_used_and_the_next_one_keeps_the_order() throws Exception {
        long open = writer.insert("a");
        rollBackBetweenCommits(10);
        turnForSeconds(3);
        assertThat(lane.nextRead().openTransactions()).isNotEmpty();

        writer.commit();
        long next = outbox.insert("a");
        Read read = lane.nextRead();
        Batch outdated = read(read);
        assertThat(outdated.outdated()).isTrue();
        assertThat(ids(outdated)).containsExactly(next);
        lane.received(outdated, Set.of());

        assertThat(ids(turn())).containsExactly(open, next);
        turn();
        turn();
        assertThat(lane.state().missingIds()).isZero();
    }

    @Test
    void what_a_writer_rolls_back_is_settled_when_it_ends() throws Exception {
        writer.insert("a");
        rollBackBetweenCommits(10);
        turnForSeconds(3);

        writer.rollback();
        turn();
        turn();
        turn();

        assertThat(lane.state().missingIds()).isZero();
        assertThat(lane.needsWriters()).isFalse();
    }

    @Test
    void messages_written_under_savepoints_belong_to_the_whole_transaction() throws Exception {
        writer.run("savepoint one");
        writer.insert("a");
        writer.run("savepoint two");
        long open = writer.insert("b");
        writer.run("rollback to savepoint one");
        long kept = writer.insert("c");
        writer.run("release savepoint one");
        rollBackBetweenCommits(10);
        turnForSeconds(3);
        assertThat(lane.nextRead().openTransactions()).containsExactly(idOf(writer));
        outbox.insert("d");
        assertThat(turn().outdated()).isFalse();

        writer.commit();
        outbox.insert("d");
        assertThat(turn().outdated()).isTrue();

        assertThat(ids(turn())).contains(kept).doesNotContain(open);
    }

    @Test
    void a_prepared_transaction_is_one_that_is_open() throws Exception {
        long open = writer.insert("a");
        long id = idOf(writer);
        rollBackBetweenCommits(10);
        turnForSeconds(3);
        writer.run("prepare transaction 'of " + outbox.database() + "'");
        turnForSeconds(3);
        rollBackBetweenCommits(10);
        turnForSeconds(3);
        Writers writers = store.writers(true);
        assertThat(writers.transactionIds()).containsValue(id);

        outbox.jdbc().execute("commit prepared 'of " + outbox.database() + "'");
        long next = outbox.insert("a");
        List<Long> found = ids(turn());
        assertThat(found.equals(List.of(next)) ? ids(turn()) : found).containsExactly(open, next);
    }

    @Test
    void a_writer_that_has_written_nothing_yet_is_looked_for_by_each_read() throws Exception {
        writer.run("lock table outbox in row exclusive mode");
        rollBackBetweenCommits(10);
        turnForSeconds(3);

        assertThat(lane.nextRead().openTransactions()).isEmpty();
        long open = writer.insert("a");
        turnForSeconds(3);
        writer.commit();

        assertThat(ids(turn())).containsExactly(open);
    }

    @Test
    void a_save_leaves_the_older_gaps_as_they_are_and_whoever_takes_the_lane_has_all_of_them() throws Exception {
        long open = writer.insert("a");
        rollBackBetweenCommits(2_000);
        turnForSeconds(20);
        save();
        assertThat(lane.state().missingIds()).isEqualTo(2_001);
        assertThat(number("select upper(older_gaps) - lower(older_gaps) from outbox_subscription"))
                .isGreaterThan(3_900);
        long stored = pagesOfOlderGaps();

        for (int n = 0; n < 10; n++) {
            long id = outbox.insert("b");
            assertThat(ids(turn())).containsExactly(id);
            save();
        }
        assertThat(pagesOfOlderGaps()).isEqualTo(stored);

        store.release(claim.epoch());
        store = store();
        take();
        assertThat(claim.progress().gaps().contains(open)).isTrue();
        assertThat(claim.progress().gaps().count()).isEqualTo(2_001);
        assertThat(number("select count(*) from outbox_subscription where older_gaps is null"))
                .isEqualTo(1);
    }

    private void save() {
        var save = lane.toSave();
        assertThat(store.save(claim.epoch(), save)).isPresent();
        lane.saved(save, List.of());
    }

    private long number(String query) {
        return outbox.jdbc().queryForObject(query, Long.class);
    }

    /** The row of the table that holds them is another one after each time that they are written. */
    private long pagesOfOlderGaps() {
        String toast = outbox.jdbc()
                .queryForObject(
                        "select reltoastrelid::regclass::text from pg_class where oid = 'outbox_subscription'::regclass",
                        String.class);
        return number("select max(chunk_id::bigint) from " + toast);
    }

    private void turnForSeconds(int seconds) throws SQLException {
        for (int n = 0; n < seconds; n++) {
            now += Duration.ofSeconds(1).toNanos();
            turn();
        }
    }

    /** One turn of the loop of a relay. */
    private Batch turn() throws SQLException {
        Batch batch = read(lane.nextRead());
        lane.received(batch, Set.of());
        for (Delivery delivery = lane.nextNow(); delivery != null; delivery = lane.nextNow()) {
            lane.finished(delivery, Result.DELIVERED);
        }
        if (lane.needsWriters()) {
            lane.observed(store.writers(lane.waitsForWriters()));
        }
        return batch;
    }

    private Batch read(Read read) throws SQLException {
        ReadStatement statement = new ReadStatement(LaneId.only("orders"));
        try (var session = pool.getConnection();
                var query = session.prepareStatement(statement.text(read))) {
            statement.bind(query, ALL_TYPES, read);
            try (var rows = query.executeQuery()) {
                return BatchRows.of(rows).answering(read);
            }
        }
    }

    /** So that no two ids that are rolled back are next to each other. */
    private void rollBackBetweenCommits(int times) throws SQLException {
        try (TestOutbox.Transaction other = outbox.begin()) {
            for (int n = 0; n < times; n++) {
                other.insert("r");
                other.rollback();
                other.insert("c");
                other.commit();
            }
        }
    }

    private static long idOf(TestOutbox.Transaction transaction) throws SQLException {
        return transaction.number("select pg_current_xact_id()::text::bigint");
    }

    private static List<Long> ids(Batch batch) {
        return batch.rows().stream().map(Batch.Row::id).toList();
    }
}
