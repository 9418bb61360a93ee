package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.ProxiedConnections;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.apache.camel.builder.NoErrorHandlerBuilder;
import org.junit.jupiter.api.Test;

/** Several subscriptions of one relay: the outbox is read once for all that are current, and their progress is saved together. */
class SharedReadIT {
    private final TestOutbox outbox = TestOutbox.create();
    private final List<TestDestination> destinations = new ArrayList<>();

    @Test
    void an_idle_relay_of_forty_subscriptions_runs_about_as_many_statements_as_one_of_one() throws Exception {
        int ofOne = statements(1);
        int ofForty = statements(40);

        assertThat(ofForty).isLessThan(3 * ofOne);
    }

    /** The statements of an idle relay in two seconds. */
    private int statements(int subscriptions) throws Exception {
        AtomicInteger statements = new AtomicInteger();
        try (TestRelay relay = relay(counted(statements), subscriptions, "?types=none")) {
            eventually(() -> assertThat(ownedLanes()).isEqualTo(subscriptions));
            Thread.sleep(1_000); // the first reads of the lanes
            statements.set(0);
            Thread.sleep(2_000);
            return statements.get();
        }
    }

    private long ownedLanes() {
        return outbox.number("select count(*) from outbox_subscription where owner is not null");
    }

    private DataSource counted(AtomicInteger statements) {
        return new ProxiedConnections(outbox.pool()) {
            @Override
            protected Object on(Call call) throws Exception {
                if (call.isExecution()) {
                    statements.incrementAndGet();
                }
                return call.proceed();
            }
        };
    }

    @Test
    void each_subscription_gets_its_types_and_all_are_saved() throws Exception {
        try (TestRelay relay = relay(outbox.pool(), 5, "?types=t%d,all")) {
            for (int n = 0; n < 200; n++) {
                outbox.insert("k" + n % 7, "t" + n % 5, "{}");
                if (n % 10 == 0) {
                    outbox.insert("k" + n % 7, "all", "{}");
                }
            }
            eventually(() -> {
                for (int i = 0; i < 5; i++) {
                    assertThat(destinations.get(i).ids())
                            .as("subscription %d", i)
                            .hasSize(40 + 20)
                            .doesNotHaveDuplicates();
                    assertThat(outbox.saved("s" + i).gaps().isEmpty()).isTrue();
                }
            });
        }
    }

    @Test
    void lanes_of_one_subscription_share_the_read() throws Exception {
        TestDestination destination = new TestDestination();
        try (TestRelay relay = TestRelay.start(outbox, "orders?lanes=4", destination)) {
            outbox.insertMany(1_000, 50);
            eventually(() -> assertThat(destination.ids()).hasSize(1_000).doesNotHaveDuplicates());
            for (int key = 0; key < 50; key++) {
                assertThat(destination.idsOf("order/k" + key)).isSorted();
            }
        }
    }

    @Test
    void a_slow_destination_neither_holds_the_others_nor_loses_a_message() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        try (TestRelay relay = relay(outbox.pool(), 2, "?window=200&concurrency=2")) {
            destinations.get(0).before(arrival -> answer.await());
            for (int n = 0; n < 30; n++) {
                outbox.insertMany(1_000, 100); // more than is kept for a lane that is behind
            }
            eventually(() -> assertThat(destinations.get(1).ids()).hasSize(30_000));
            assertThat(destinations.get(0).ids()).isEmpty();
            answer.countDown();
            eventually(
                    () -> assertThat(destinations.get(0).ids()).hasSize(30_000).doesNotHaveDuplicates());
        }
    }

    @Test
    void a_row_that_another_session_has_locked_delays_no_other_subscription() throws Exception {
        try (TestRelay relay = relay(outbox.pool(), 3, "");
                ApplicationTransaction session = outbox.begin()) {
            outbox.insert(10);
            outbox.awaitPassed("s0", 10);
            session.run("select 1 from outbox_subscription where name = 's0' for update");
            outbox.insert(10);
            eventually(() -> {
                assertThat(outbox.passed("s1", 20)).isTrue();
                assertThat(outbox.passed("s2", 20)).isTrue();
            });
            assertThat(destinations.get(0).ids()).as("delivered, but not saved").hasSize(20);
            assertThat(outbox.passed("s0", 20)).isFalse();
            session.rollback();
            outbox.awaitPassed("s0", 20);
        }
    }

    @Test
    void lanes_whose_rows_are_locked_hold_up_no_turn_of_another_subscription() throws Exception {
        TestDestination failing = new TestDestination();
        failing.failIf(arrival -> true);
        try (TestRelay relay = TestRelay.start(outbox.pool(), routes -> {
                    routes.errorHandler(new NoErrorHandlerBuilder());
                    routes.from("outbox:troubled?types=a&lanes=12").process(new TestDestination());
                    routes.from("outbox:other?types=b").process(failing);
                });
                ApplicationTransaction session = outbox.begin()) {
            eventually(() -> assertThat(ownedLanes()).isEqualTo(13));
            Thread.sleep(1_000);
            session.run("select 1 from outbox_subscription where name = 'troubled' for update");
            Thread.sleep(5_000); // the lanes save alone now, and wait for their rows

            outbox.insert("a", "b", "{}");
            long begun = System.nanoTime();
            eventually(() -> assertThat(outbox.waiting("other")).hasSize(1));
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
        }
    }

    @Test
    void lanes_read_and_save_alone_while_what_they_share_fails() throws Exception {
        DataSource failing = new ProxiedConnections(outbox.pool()) {
            @Override
            protected Object on(Call call) throws Exception {
                if (call.isExecution() && call.text() != null && call.text().contains("skip locked")) {
                    throw new SQLException("told to fail", "XX000");
                }
                return call.proceed();
            }
        };
        try (TestRelay relay = relay(failing, 3, "")) {
            outbox.insert(100);
            eventually(() -> {
                for (int i = 0; i < 3; i++) {
                    assertThat(destinations.get(i).ids()).hasSize(100).doesNotHaveDuplicates();
                    assertThat(outbox.passed("s" + i, 100)).isTrue();
                }
            });
        }
    }

    /** @param options with a place for the number of the subscription, or none */
    private TestRelay relay(DataSource source, int subscriptions, String options) throws Exception {
        destinations.clear();
        return TestRelay.start(source, routes -> {
            routes.errorHandler(new NoErrorHandlerBuilder());
            for (int i = 0; i < subscriptions; i++) {
                TestDestination destination = new TestDestination();
                destinations.add(destination);
                routes.from("outbox:s" + i + options.replace("%d", "" + i)).process(destination);
            }
        });
    }
}
