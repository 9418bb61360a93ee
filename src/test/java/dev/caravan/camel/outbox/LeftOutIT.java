package dev.caravan.camel.outbox;

import static dev.caravan.camel.outbox.SteppedLane.ids;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.engine.lane.Batch;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.Read;
import dev.caravan.engine.progress.Writer;
import dev.caravan.engine.progress.Writers;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A writer that stays open, messages that others roll back meanwhile, and a relay that sees no sessions of other roles. */
class LeftOutIT {
    private final TestOutbox outbox = TestOutbox.create();
    private HikariDataSource pool;
    private SteppedLane relay;
    private ApplicationTransaction writer;

    @BeforeEach
    void claim() throws Exception {
        writer = outbox.begin();
        pool = outbox.poolOfRoleWithGrants();
        relay = new SteppedLane(pool);
    }

    @AfterEach
    void close() throws Exception {
        pool.close();
    }

    @Test
    void what_waits_for_a_writer_that_is_open_is_not_looked_up() throws Exception {
        long open = writer.insert("a");
        rollBackBetweenCommits(100);
        relay.turnForSeconds(3);

        Read read = relay.lane().nextRead();
        assertThat(read.missing()).isEqualTo("{}");
        assertThat(read.openTransactions()).containsExactly(idOf(writer));
        assertThat(relay.lane().snapshot().missingIds()).isEqualTo(101);
        long id = outbox.insert("b");
        assertThat(ids(relay.turn())).containsExactly(id);
        assertThat(ids(relay.turn())).doesNotContain(open);
    }

    @Test
    void the_first_read_after_its_commit_is_not_used_and_the_next_one_keeps_the_order() throws Exception {
        long open = writer.insert("a");
        rollBackBetweenCommits(10);
        relay.turnForSeconds(3);
        assertThat(relay.lane().nextRead().openTransactions()).isNotEmpty();

        long id = idOf(writer);
        writer.commit();
        long next = outbox.insert("a");
        Read read = relay.lane().nextRead();
        Batch outdated = relay.read(read);
        assertThat(outdated.ended()).containsExactly(id);
        assertThat(ids(outdated)).containsExactly(next);
        relay.receive(outdated);

        assertThat(ids(relay.turn())).containsExactly(open, next);
        relay.turn();
        relay.turn();
        assertThat(relay.lane().snapshot().missingIds()).isZero();
    }

    @Test
    void what_a_writer_rolls_back_is_settled_when_it_ends() throws Exception {
        writer.insert("a");
        rollBackBetweenCommits(10);
        relay.turnForSeconds(3);

        writer.rollback();
        relay.turn();
        relay.turn();
        relay.turn();

        assertThat(relay.lane().snapshot().missingIds()).isZero();
        assertThat(relay.lane().needsWriters()).isFalse();
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
        relay.turnForSeconds(3);
        assertThat(relay.lane().nextRead().openTransactions()).containsExactly(idOf(writer));
        outbox.insert("d");
        assertThat(relay.turn().ended()).isEmpty();

        writer.commit();
        outbox.insert("d");
        assertThat(relay.turn().ended()).isNotEmpty();

        assertThat(ids(relay.turn())).contains(kept).doesNotContain(open);
    }

    @Test
    void a_prepared_transaction_is_one_that_is_open() throws Exception {
        long open = writer.insert("a");
        long id = idOf(writer);
        rollBackBetweenCommits(10);
        relay.turnForSeconds(3);
        writer.run("prepare transaction 'of " + outbox.database() + "'");
        relay.turnForSeconds(3);
        rollBackBetweenCommits(10);
        relay.turnForSeconds(3);
        Writers writers = relay.writers().lookUp(true);
        assertThat(writers.open()).contains(Writer.prepared(id));

        outbox.execute("commit prepared 'of " + outbox.database() + "'");
        long next = outbox.insert("a");
        List<Long> found = ids(relay.turn());
        assertThat(found.equals(List.of(next)) ? ids(relay.turn()) : found).containsExactly(open, next);
    }

    @Test
    void a_writer_that_has_written_nothing_yet_is_looked_for_by_each_read() throws Exception {
        writer.run("lock table outbox in row exclusive mode");
        rollBackBetweenCommits(10);
        relay.turnForSeconds(3);

        assertThat(relay.lane().nextRead().openTransactions()).isEmpty();
        long open = writer.insert("a");
        relay.turnForSeconds(3);
        writer.commit();

        assertThat(ids(relay.turn())).containsExactly(open);
    }

    @Test
    void a_save_leaves_the_older_gaps_as_they_are_and_whoever_takes_the_lane_has_all_of_them() throws Exception {
        long open = writer.insert("a");
        rollBackBetweenCommits(2_000);
        relay.turnForSeconds(20);
        relay.save();
        assertThat(relay.lane().snapshot().missingIds()).isEqualTo(2_001);
        assertThat(outbox.number("select upper(older_gaps) - lower(older_gaps) from outbox_subscription"))
                .isGreaterThan(3_900);
        long stored = pagesOfOlderGaps();

        for (int n = 0; n < 10; n++) {
            long id = outbox.insert("b");
            assertThat(ids(relay.turn())).containsExactly(id);
            relay.save();
        }
        assertThat(pagesOfOlderGaps()).isEqualTo(stored);

        relay.takeAgain();
        assertThat(relay.claim().progress().gaps().contains(open)).isTrue();
        assertThat(relay.claim().progress().gaps().count()).isEqualTo(2_001);
        assertThat(outbox.number("select count(*) from outbox_subscription where older_gaps is null"))
                .isEqualTo(1);
    }

    /** The end of the short one concerns no id but those that were missing while it was open. */
    @Test
    void the_end_of_a_short_writer_lets_only_those_ids_be_looked_up_that_waited_for_it() throws Exception {
        writer.insert("a");
        rollBackBetweenCommits(500);
        relay.turnForSeconds(20);
        relay.save();
        long stored = pagesOfOlderGaps();

        for (int n = 0; n < 3; n++) {
            ApplicationTransaction shortOne = outbox.begin();
            long own = shortOne.insert("s");
            rollBackBetweenCommits(1);
            relay.turnForSeconds(3);
            relay.save();
            shortOne.commit();
            long next = outbox.insert("s");
            assertThat(relay.turn().ended()).isNotEmpty();
            assertThat(IdRanges.parse(relay.lane().nextRead().missing()).count())
                    .isBetween(1L, 10L);
            assertThat(ids(relay.turn())).containsExactly(own, next);
            relay.turnForSeconds(3);
            relay.save();
            assertThat(relay.lane().nextRead().missing()).isEqualTo("{}");
        }

        assertThat(pagesOfOlderGaps())
                .as("the column with 500 ids is not written again")
                .isEqualTo(stored);
    }

    /** The row of the table that holds them is another one after each time that they are written. */
    private long pagesOfOlderGaps() {
        String toast = outbox.text(
                "select reltoastrelid::regclass::text from pg_class where oid = 'outbox_subscription'::regclass");
        return outbox.number("select max(chunk_id::bigint) from " + toast);
    }

    /** So that no two ids that are rolled back are next to each other. */
    private void rollBackBetweenCommits(int times) throws SQLException {
        try (ApplicationTransaction other = outbox.begin()) {
            for (int n = 0; n < times; n++) {
                other.insert("r");
                other.rollback();
                other.insert("c");
                other.commit();
            }
        }
    }

    private static long idOf(ApplicationTransaction transaction) throws SQLException {
        return transaction.number("select pg_current_xact_id()::text::bigint");
    }
}
