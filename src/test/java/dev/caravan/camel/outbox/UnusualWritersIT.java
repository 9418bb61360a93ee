package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** Ways to write to the outbox that draw ids in other ways than one insert and one commit. */
class UnusualWritersIT {
    private static final String COPY = "copy outbox (aggregate_type, aggregate_id, type) from stdin";

    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void with_a_window_of_one_message_all_of_them_are_delivered_and_nothing_stays_missing() throws Exception {
        SteppedLane relay = new SteppedLane(outbox.dataSource(), 1, 1);
        List<Long> expected = new ArrayList<>();
        ApplicationTransaction prepared = outbox.begin();
        long atLast = prepared.insert("p");
        prepared.run("prepare transaction 'of " + outbox.database() + "'");
        long before = outbox.insert("b");
        assertThat(deliveredBy(relay, 4))
                .as("the prepared one is known to stand still")
                .containsExactly(before);
        ApplicationTransaction writer = outbox.begin();
        expected.add(writer.insert("a"));
        writer.run("savepoint one");
        writer.insert("a");
        writer.run("savepoint two");
        writer.insert("a");
        writer.run("rollback to savepoint one");
        expected.add(writer.insert("a"));
        writer.run("insert into outbox (aggregate_type, aggregate_id, type) values ('order', 'a', 'order.created')"
                + " on conflict do nothing");
        expected.add(expected.get(1) + 1);
        writer.run("select nextval('outbox_id_seq') from generate_series(1, 5)"); // drawn and never used
        long between = outbox.insert("b");
        List<Long> found = new ArrayList<>(deliveredBy(relay, 4));
        assertThat(found).containsExactly(between);

        writer.commit();
        found.addAll(deliveredBy(relay, 20));
        assertThat(found.subList(1, found.size())).containsExactlyElementsOf(expected);
        assertThat(relay.lane().snapshot().missingIds())
                .as("that of the prepared one")
                .isEqualTo(1);

        outbox.execute("commit prepared 'of " + outbox.database() + "'");
        assertThat(deliveredBy(relay, 20)).containsExactly(atLast);
        assertThat(relay.lane().snapshot().missingIds()).isZero();
    }

    @Tag("long")
    @Test
    void a_copy_of_many_rows_beside_a_copy_that_fails_is_delivered_whole() throws Exception {
        SteppedLane relay = new SteppedLane(outbox.dataSource());
        ApplicationTransaction failing = outbox.begin();
        copy(failing, 10_000);
        ApplicationTransaction writer = outbox.begin();
        copy(writer, 100_000);
        long later = outbox.insert("b");
        assertThat(deliveredBy(relay, 3)).containsExactly(later);

        failing.rollback();
        writer.commit();

        List<Long> found = deliveredBy(relay, 210);
        assertThat(found).hasSize(100_000).isSorted().doesNotHaveDuplicates();
        assertThat(relay.lane().snapshot().missingIds()).isZero();
    }

    private static void copy(ApplicationTransaction transaction, int rows) throws SQLException {
        var copy =
                transaction.connection().unwrap(PGConnection.class).getCopyAPI().copyIn(COPY);
        byte[] row = "order\tc\torder.created\n".getBytes(java.nio.charset.StandardCharsets.UTF_8);
        for (int n = 0; n < rows; n++) {
            copy.writeToCopy(row, 0, row.length);
        }
        copy.endCopy();
    }

    private static List<Long> deliveredBy(SteppedLane relay, int turns) throws SQLException {
        List<Long> found = new ArrayList<>();
        for (int n = 0; n < turns; n++) {
            relay.passSeconds(1);
            var batch = relay.turn();
            if (batch.ended().isEmpty()) {
                found.addAll(SteppedLane.ids(batch));
            }
        }
        return found;
    }
}
