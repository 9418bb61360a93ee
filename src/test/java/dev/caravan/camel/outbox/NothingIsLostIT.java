package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class NothingIsLostIT {
    private final TestDestination destination = new TestDestination();
    private final TestOutbox outbox = TestOutbox.create();
    private TestRelay relay;

    @BeforeEach
    void start() throws Exception {
        relay = TestRelay.start(outbox, "orders", destination);
    }

    @Test
    void a_message_that_commits_after_a_later_one_is_delivered_when_it_commits() throws Exception {
        ApplicationTransaction slow = outbox.begin();
        long early = slow.insert("a");
        long late = outbox.insert("b");
        eventually(() -> assertThat(arrived()).containsExactly(late));

        slow.commit();

        eventually(() -> assertThat(arrived()).containsExactly(late, early));
        everythingIsSettled(late);
    }

    @Test
    void an_id_that_was_rolled_back_is_settled_soon() throws Exception {
        ApplicationTransaction failing = outbox.begin();
        long lost = failing.insert("a");
        long kept = outbox.insert("b");
        eventually(
                () -> assertThat(outbox.saved("orders").gaps().contains(lost)).isTrue());

        failing.rollback();

        everythingIsSettled(kept);
        assertThat(arrived()).containsExactly(kept);
    }

    @Tag("long")
    @Test
    void a_hundred_thousand_ids_that_were_rolled_back_are_settled_soon() throws Exception {
        ApplicationTransaction failing = outbox.begin();
        failing.run("insert into outbox (aggregate_type, aggregate_id, type)"
                + " select 'order', 'a', 'order.created' from generate_series(1, 100000)");
        long kept = outbox.insert("b");
        eventually(() -> assertThat(outbox.saved("orders").gaps().count()).isGreaterThanOrEqualTo(100_000));

        failing.rollback();

        everythingIsSettled(kept);
        assertThat(arrived()).containsExactly(kept);
    }

    @Test
    void an_id_drawn_by_an_insert_that_is_still_in_its_trigger_is_waited_for() throws Exception {
        outbox.execute("create function wait_for_gate() returns trigger language plpgsql as $$ begin"
                + " if new.aggregate_id = 'slow' then perform pg_advisory_xact_lock(7); end if; return new; end $$");
        outbox.execute("create trigger slow before insert on outbox for each row execute function wait_for_gate()");
        ApplicationTransaction gate = outbox.begin();
        gate.run("select pg_advisory_lock(7)");
        ApplicationTransaction slow = outbox.begin();
        var inserted = CompletableFuture.supplyAsync(() -> {
            try {
                long id = slow.insert("slow");
                slow.commit();
                return id;
            } catch (java.sql.SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        eventually(() -> assertThat(
                        outbox.number("select count(*) from pg_locks where locktype = 'advisory' and not granted"))
                .isEqualTo(1));
        long late = outbox.insert("b");
        assertThat(late).isEqualTo(2);
        long unrelated = delivered(outbox.insert("c"));
        awaitMoreReads();
        assertThat(outbox.saved("orders").gaps().contains(1)).isTrue();

        gate.run("select pg_advisory_unlock(7)");

        assertThat(inserted.get()).isEqualTo(1);
        eventually(() -> assertThat(arrived()).containsExactlyInAnyOrder(1L, late, unrelated));
        everythingIsSettled(unrelated);
    }

    @Test
    void an_id_rolled_back_to_a_savepoint_is_settled_and_the_rest_of_the_transaction_delivered() throws Exception {
        ApplicationTransaction writer = outbox.begin();
        long first = writer.insert("a");
        writer.run("savepoint before_second");
        writer.insert("a");
        writer.run("rollback to savepoint before_second");
        long third = writer.insert("a");
        long other = delivered(outbox.insert("b"));

        writer.commit();

        eventually(() -> assertThat(arrived()).containsExactly(other, first, third));
        everythingIsSettled(other);
    }

    @Test
    void a_message_of_a_prepared_transaction_is_delivered_when_it_commits() throws Exception {
        ApplicationTransaction writer = outbox.begin();
        long prepared = writer.insert("a");
        long other = delivered(outbox.insert("b"));
        eventually(() ->
                assertThat(outbox.saved("orders").gaps().contains(prepared)).isTrue());
        writer.run("prepare transaction 'commit-later'");
        awaitMoreReads();
        assertThat(outbox.saved("orders").gaps().contains(prepared)).isTrue();

        outbox.execute("commit prepared 'commit-later'");

        eventually(() -> assertThat(arrived()).containsExactly(other, prepared));
        everythingIsSettled(other);
    }

    @Tag("long")
    @Test
    void an_id_of_a_prepared_transaction_is_settled_when_it_is_rolled_back() throws Exception {
        ApplicationTransaction writer = outbox.begin();
        long prepared = writer.insert("a");
        writer.run("prepare transaction 'roll-back-later'");
        long other = delivered(outbox.insert("b"));
        awaitMoreReads();
        assertThat(outbox.saved("orders").gaps().contains(prepared)).isTrue();

        outbox.execute("rollback prepared 'roll-back-later'");

        everythingIsSettled(other);
        assertThat(arrived()).containsExactly(other);
    }

    @Test
    void a_long_transaction_that_does_not_write_to_the_outbox_delays_nothing() throws Exception {
        ApplicationTransaction unrelated = outbox.begin();
        unrelated.run("create table bookkeeping (id int)");
        unrelated.run("insert into bookkeeping values (1)");
        unrelated.run("select count(*) from outbox");
        ApplicationTransaction failing = outbox.begin();
        failing.insert("a");
        long kept = outbox.insert("b");

        failing.rollback();

        everythingIsSettled(kept);
        unrelated.commit();
        assertThat(arrived()).containsExactly(kept);
    }

    @Test
    void a_long_transaction_that_writes_to_the_outbox_delays_only_its_own_messages() throws Exception {
        ApplicationTransaction open = outbox.begin();
        long own = open.insert("a");
        for (int i = 0; i < 50; i++) {
            delivered(outbox.insert("a"));
            try (ApplicationTransaction failing = outbox.begin()) {
                failing.insert("b");
                failing.rollback();
            }
        }
        assertThat(destination.ids()).hasSize(50).isSorted().doesNotContain(own);

        open.commit();

        eventually(() -> assertThat(destination.ids()).hasSize(51).endsWith(own));
        everythingIsSettled(outbox.saved("orders").position());
    }

    @Tag("long")
    @Test
    void what_is_rolled_back_while_a_transaction_that_has_written_is_idle_is_settled_at_once() throws Exception {
        ApplicationTransaction idle = outbox.begin();
        long own = idle.insert("a");
        eventually(() -> {
            long lost = rolledBack();
            delivered(outbox.insert("b"));
            eventually(Duration.ofSeconds(5), () -> {
                assertThat(outbox.saved("orders").position()).isGreaterThan(lost);
                assertThat(outbox.saved("orders").gaps().contains(lost)).isFalse();
            });
        });
        long before = outbox.saved("orders").gaps().count();
        for (int i = 0; i < 50; i++) {
            rolledBack();
            delivered(outbox.insert("b"));
        }

        eventually(() -> assertThat(outbox.saved("orders").gaps().count()).isLessThanOrEqualTo(before));
        assertThat(outbox.saved("orders").gaps().contains(own)).isTrue();

        long second = idle.insert("a");
        rolledBack();
        long last = delivered(outbox.insert("b"));
        idle.commit();
        eventually(() -> assertThat(destination.idsOf("a")).containsExactly(own, second));
        everythingIsSettled(last);
    }

    @Tag("long")
    @Test
    void a_relay_that_may_not_see_the_sessions_of_others_waits_for_them_and_loses_nothing() throws Exception {
        TestDestination other = new TestDestination();
        try (var pool = outbox.poolOfRoleWithGrants();
                var blind = TestRelay.start(pool, "blind", other)) {
            ApplicationTransaction idle = outbox.begin();
            long own = idle.insert("a");
            for (int i = 0; i < 50; i++) {
                rolledBack();
                outbox.insert("b");
            }
            eventually(() -> {
                assertThat(other.ids()).hasSize(50);
                assertThat(outbox.saved("blind").gaps().count()).isEqualTo(51);
            });
            eventually(() -> assertThat(outbox.holds(
                            "select older_gaps @> ?::bigint from outbox_subscription where name = 'blind'", own))
                    .as("left out of the reads")
                    .isTrue());
            long meanwhile = outbox.insert("b");
            eventually(() -> assertThat(other.ids()).hasSize(51).endsWith(meanwhile));

            idle.commit();
            long next = outbox.insert("a");

            eventually(() -> assertThat(other.ids()).hasSize(53).endsWith(own, next));
            outbox.awaitPassed("blind", 103);
        }
    }

    private long rolledBack() throws Exception {
        try (ApplicationTransaction failing = outbox.begin()) {
            long id = failing.insert("c");
            failing.rollback();
            return id;
        }
    }

    private List<Long> arrived() {
        return destination.arrivals().stream()
                .filter(arrival -> !arrival.type().equals("probe"))
                .map(TestDestination.Arrival::id)
                .toList();
    }

    private long delivered(long id) throws Exception {
        eventually(() -> assertThat(destination.ids()).contains(id));
        return id;
    }

    /** Long enough that what could be settled would be settled: further messages arrive and their progress is saved. */
    private void awaitMoreReads() throws Exception {
        for (int i = 0; i < 3; i++) {
            long id = delivered(outbox.number(
                    "insert into outbox (aggregate_type, aggregate_id, type) values ('probe', 'probe', 'probe')"
                            + " returning id"));
            eventually(() -> {
                assertThat(outbox.saved("orders").position()).isGreaterThanOrEqualTo(id);
                assertThat(outbox.saved("orders").gaps().contains(id)).isFalse();
            });
        }
    }

    private void everythingIsSettled(long position) throws Exception {
        eventually(() -> {
            assertThat(outbox.saved("orders").gaps().isEmpty()).isTrue();
            assertThat(outbox.saved("orders").position()).isGreaterThanOrEqualTo(position);
        });
    }
}
