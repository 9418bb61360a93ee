package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.database.Sql;
import dev.caravan.engine.lane.Lane;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever fails between the start of an attempt and its end, the message is tried again, and the others continue. */
class BrokenAttemptIT {
    private final TestDestination destination = new TestDestination();
    private final AtomicInteger broken = new AtomicInteger();
    private final TestOutbox outbox = TestOutbox.create();
    private TestRelay relay;

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"infinity", "-infinity", "4713-01-01 00:00:00 BC", "294276-12-31 00:00:00"})
    void a_row_may_be_of_any_time(String time) throws Exception {
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, payload, created_at)"
                + " values ('order', 'a', 'order.created', '{}', '" + time + "')");
        outbox.insert("a");
        destination.failIf(arrival -> arrival.attempt() == 1 && arrival.id() == 1); // it is stored and read again too

        start("concurrency=2", component -> {});

        eventually(() -> assertThat(destination.ids()).containsExactly(1L, 2L));
        eventually(() -> {
            assertThat(outbox.passed("orders", 2)).isTrue();
            assertThat(outbox.waiting("orders")).isEmpty();
        });
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"pipelined=true", "concurrency=1"})
    void an_error_before_the_route_fails_the_message_only(String options) throws Exception {
        insertThree();

        start(
                options,
                component -> component.setTracing((subscription, delivery, in) -> {
                    if (broken.getAndIncrement() == 0) {
                        throw new StackOverflowError("told to break");
                    }
                    return result -> {};
                }));

        eventually(() -> assertThat(destination.ids()).containsExactlyInAnyOrder(1L, 2L, 3L));
        eventuallyAllIsSaved();
    }

    @ParameterizedTest
    @ValueSource(strings = "pipelined=true")
    void an_error_of_the_route_fails_the_message_only(String options) throws Exception {
        insertThree();
        destination.before(arrival -> {
            if (broken.getAndIncrement() == 0) {
                throw new NoClassDefFoundError("told to break");
            }
        });

        start(options, component -> {});

        eventually(() -> assertThat(destination.ids()).containsExactlyInAnyOrder(1L, 2L, 3L));
        eventuallyAllIsSaved();
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = "concurrency=1")
    void an_error_of_a_route_that_is_not_pipelined_fails_the_message_only(String options) throws Exception {
        an_error_of_the_route_fails_the_message_only(options);
    }

    @Tag("long")
    @Test
    void an_error_after_the_route_does_not_change_the_outcome_of_the_message() throws Exception {
        insertThree();

        start(
                "pipelined=true",
                component -> component.setTracing((subscription, delivery, in) -> result -> {
                    throw new IllegalStateException("told to break");
                }));

        eventuallyAllIsSaved();
        assertThat(destination.ids()).containsExactly(1L, 2L, 3L);
    }

    @Tag("long")
    @Test
    void an_exception_that_cannot_be_read_fails_the_message() throws Exception {
        insertThree();
        destination.before(arrival -> {
            if (broken.getAndIncrement() == 0) {
                throw new IllegalStateException() {
                    @Override
                    public String getMessage() {
                        throw new UnsupportedOperationException("no text");
                    }
                };
            }
        });

        start("pipelined=true", component -> {});

        eventually(() -> assertThat(destination.ids()).containsExactlyInAnyOrder(1L, 2L, 3L));
        eventuallyAllIsSaved();
    }

    /** It is interrupted while it waits for the renewal of the lease. */
    @Test
    void a_lane_whose_thread_ends_is_given_up_and_taken_again() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch expired = new CountDownLatch(1);
        start("pipelined=true", component -> {
            component.setLeaseDuration(500);
            component.setTracing((subscription, delivery, in) -> {
                begun.countDown();
                await(expired);
                return result -> {};
            });
        });
        long id = outbox.insert("a");
        begun.await();
        try (var connection = outbox.unpooled().getConnection()) {
            connection.setAutoCommit(false);
            Sql.execute(connection, "select from outbox_subscription for update");
            eventually(() -> assertThat(outbox.number(
                            "select count(*) from outbox_subscription where lease_until > clock_timestamp()"))
                    .isZero());

            expired.countDown();
            eventually(() -> assertThat(waitingThread()).isPresent());
            waitingThread().orElseThrow().interrupt();
            eventually(() -> assertThat(waitingThread()).isEmpty());
            connection.rollback();
        }

        outbox.awaitPassed("orders", id);
        assertThat(destination.ids()).contains(id);
        assertThat(outbox.saved("orders").epoch()).isGreaterThan(1);
        assertThat(outbox.waiting("orders")).isEmpty();
    }

    /** A thread that waits until a lane may send its message. */
    private static Optional<Thread> waitingThread() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> Arrays.stream(thread.getValue())
                        .anyMatch(frame -> frame.getClassName().equals(Lane.class.getName())
                                && frame.getMethodName().equals("awaitLease")))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"pipelined=true", "concurrency=2"})
    void a_step_that_leaves_the_interrupt_flag_set_does_not_close_the_lane(String options) throws Exception {
        insertThree();
        destination.before(arrival -> Thread.currentThread().interrupt()); // as a library does that was interrupted

        start(options, component -> {});

        eventuallyAllIsSaved();
        assertThat(destination.ids()).containsExactlyInAnyOrder(1L, 2L, 3L);
        assertThat(outbox.saved("orders").epoch()).isEqualTo(1);
    }

    private void insertThree() {
        outbox.insert("a");
        outbox.insert("b");
        outbox.insert("c");
    }

    private void eventuallyAllIsSaved() throws Exception {
        eventually(() -> {
            assertThat(outbox.passed("orders", 3)).isTrue();
            assertThat(outbox.waiting("orders")).isEmpty();
        });
    }

    private void start(String options, Consumer<OutboxComponent> component) throws Exception {
        relay = TestRelay.start(outbox.pool(), "orders?backoff=1ms&" + options, destination, component);
    }
}
