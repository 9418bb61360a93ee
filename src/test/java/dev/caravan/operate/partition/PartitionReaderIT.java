package dev.caravan.operate.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.CountedBuffers;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.operate.subscription.SubscriptionStatus;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Partitions of ten ids each; all but the last three are full and were delivered to a subscription. */
class PartitionReaderIT {
    private static final Retention WEEK = Retention.of(Duration.ofDays(7));
    private static final int AHEAD = 2;
    /** Two rows and their places in two indexes. */
    private static final long OF_ONE_PARTITION = 20;

    private final PartitionReader reader = new PartitionReader();
    private final TestOutbox outbox = TestOutbox.create();
    private final CountedBuffers database = new CountedBuffers(outbox.dataSource());

    @BeforeEach
    void create() throws SQLException {
        outbox.execute("drop table outbox_from_0");
    }

    private void full(int partitions) throws SQLException {
        outbox.execute("""
                do $$ begin
                    for number in 0..%d loop
                        execute format('create table outbox_from_%%1$s partition of outbox for values from (%%1$s) to (%%2$s)',
                                       number * 10, number * 10 + 10);
                    end loop;
                end $$""".formatted(partitions + AHEAD));
        outbox.insert(partitions * 10 + 4);
        outbox.execute("insert into outbox_subscription (name, position) select 'orders', max(id) from outbox");
    }

    @Test
    void a_full_partition_is_looked_at_once_and_later_in_turn() throws SQLException {
        full(20);
        List<Partition> first = reader.states(database, WEEK);
        assertThat(database.runs("operate/ends")).isEqualTo(20 + 1 + AHEAD + 2);

        List<Partition> second = reader.states(database, WEEK);

        assertThat(database.runs("operate/ends") - (20 + 1 + AHEAD + 2))
                .as("one full one in turn, the current one, those ahead, and both ends of outbox_default")
                .isEqualTo(1 + 1 + AHEAD + 2);
        assertThat(second).isEqualTo(first);
        outbox.execute("update outbox set created_at = '2000-01-01' where id = 1 or id = 191");
        for (int turn = 0; turn < 20; turn++) {
            reader.states(database, WEEK);
        }
        assertThat(reader.states(database, WEEK))
                .filteredOn(partition -> partition.oldest().equals(Optional.of(Instant.parse("2000-01-01T00:00:00Z"))))
                .extracting(Partition::name)
                .containsExactly("outbox_from_0");
    }

    @Test
    void a_full_partition_of_a_transaction_that_is_not_committed_yet_is_looked_at_again() throws Exception {
        full(0);
        try (var transaction = outbox.begin()) {
            transaction.run("insert into outbox (aggregate_type, aggregate_id, type)"
                    + " select 'order', '1', 'order.created' from generate_series(1, 10)");
            assertThat(reader.states(outbox.dataSource(), WEEK).get(1).newest()).isEmpty();

            transaction.commit();
        }

        assertThat(reader.states(outbox.dataSource(), WEEK).get(1).newest()).isPresent();
    }

    @Test
    void the_cost_of_a_look_does_not_grow_with_the_number_of_partitions() throws SQLException {
        full(100);

        reader.states(database, WEEK);
        SubscriptionStatus.all(database);

        assertThat(database.most().get("operate/ends")).isLessThan(OF_ONE_PARTITION);
        assertThat(database.most().get("operate/list_subscriptions")).isLessThan(10 * OF_ONE_PARTITION);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(ints = {100, 500})
    void hundreds_of_partitions_are_listed_in_milliseconds(int partitions) throws SQLException {
        full(partitions);
        outbox.execute("insert into outbox_subscription (name, position, paused) values ('left', 0, true)");
        reader.all(outbox.dataSource(), WEEK);

        long begun = System.nanoTime();
        reader.all(outbox.dataSource(), WEEK);
        SubscriptionStatus.all(outbox.dataSource());

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(1));
    }
}
