package dev.caravan.camel.outbox;

import static dev.caravan.camel.outbox.SteppedLane.ids;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.Read;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A lane is claimed that has more gaps than one read may look up, because that would take longer than the lease. */
class ManyMissingIT {
    private static final int GAPS = 60_000;
    private static final int IN_ONE_READ = 50_000;

    private final TestOutbox outbox = TestOutbox.create();
    private SteppedLane relay;
    private long early;
    private long late;

    @BeforeEach
    void create() throws Exception {
        relay = new SteppedLane(outbox.dataSource());
        outbox.insertMany(2 * GAPS, 10);
        outbox.execute("delete from outbox where id % 2 = 1 and id not in (7, " + (2 * GAPS - 1) + ")");
        outbox.execute("update outbox set aggregate_id = 'a' where id in (7, " + (2 * GAPS - 1) + ")");
        outbox.execute("update outbox_subscription set position = " + 2 * GAPS
                + ", gaps = (select range_agg(int8range(n, n + 1))" + " from generate_series(1, " + 2 * GAPS
                + ", 2) n)");
        early = 7;
        late = 2 * GAPS - 1;
        relay.takeAgain();
    }

    @Test
    void they_are_looked_up_in_parts_and_nothing_new_is_read_before_all_of_them() throws Exception {
        long next = outbox.insert("a");
        List<Long> found = new ArrayList<>();
        Read read = relay.lane().nextRead();
        assertThat(IdRanges.parse(read.missing()).count()).isEqualTo(IN_ONE_READ);
        while (found.size() < 3) {
            found.addAll(ids(relay.turn()));
            relay.save();
        }
        assertThat(found).containsExactly(early, late, next);
        assertThat(relay.lane().snapshot().missingIds()).isZero();
        assertThat(outbox.passed("orders", next)).isTrue();
    }

    @Tag("long")
    @Test
    void what_waits_for_a_writer_is_left_out_in_parts() throws Exception {
        ApplicationTransaction writer = outbox.begin();
        long open = writer.insert("b");
        writer.run("prepare transaction 'of " + outbox.database() + "'");
        relay.turnForSeconds(1);
        long next = outbox.insert("a");
        relay.turnForSeconds(5);

        assertThat(relay.lane().nextRead().missing()).isEqualTo("{}");
        assertThat(relay.lane().snapshot().missingIds()).isEqualTo(GAPS - 2 + 1);
        relay.save();
        assertThat(outbox.saved("orders").gaps().contains(open)).isTrue();
        assertThat(outbox.saved("orders").position()).isEqualTo(next);

        outbox.execute("rollback prepared 'of " + outbox.database() + "'");
        relay.turnForSeconds(5);
        relay.save();
        assertThat(outbox.passed("orders", next)).isTrue();
    }

    @Tag("long")
    @Test
    void a_writer_that_has_written_nothing_yet_holds_up_new_messages_for_a_few_seconds_only() throws Exception {
        ApplicationTransaction writer = outbox.begin();
        writer.run("lock table outbox in row exclusive mode");
        long next = outbox.insert("a");
        List<Long> found = new ArrayList<>();
        for (int second = 0; second < 8; second++) {
            relay.passSeconds(1);
            found.addAll(ids(relay.turn()));
        }
        assertThat(found).containsExactly(early, late, next);

        long another = outbox.insert("a");
        assertThat(ids(relay.turn())).containsExactly(another);
    }
}
