package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.HttpGateway.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An unavailable destination, over real HTTP and with the shipped error handling. */
class OutageIT {
    private static final Duration LONG = Duration.ofSeconds(90);

    private final HttpStage stage = new HttpStage();
    private final TestOutbox outbox = stage.outbox;
    private final HttpGateway gateway = stage.gateway;

    @Test
    void while_a_destination_refuses_connections_nothing_is_written_and_others_are_not_affected() throws Exception {
        gateway.shuts();
        outbox.insertMany(200, 20);
        stage.start("&concurrency=8");

        eventually(() -> {
            assertThat(stage.other.ids()).hasSize(200);
            assertThat(outbox.passed("other", 200)).isTrue();
            assertThat(outbox.saved("orders").position()).isEqualTo(200); // taken, and open
        });
        nothingIsWaitingOrDead();
        gateway.opens();

        allArrive(200);
        nothingIsWaitingOrDead();
        assertThat(gateway.taken()).doesNotHaveDuplicates();
    }

    @Test
    void a_destination_that_becomes_unavailable_in_the_middle_is_waited_for() throws Exception {
        CountDownLatch half = new CountDownLatch(100);
        gateway.answersWith(id -> {
            half.countDown();
            return half.getCount() > 0 ? Answer.of(200) : Answer.of(503);
        });
        outbox.insertMany(200, 20);
        stage.start("&concurrency=8");
        assertThat(half.await(60, TimeUnit.SECONDS)).isTrue();
        eventually(() ->
                assertThat(gateway.asked()).hasSizeGreaterThan(gateway.taken().size()));
        gateway.answersWith(id -> Answer.of(200));

        allArrive(200);
        nothingIsWaitingOrDead();
    }

    @ParameterizedTest
    @ValueSource(ints = 503)
    void a_destination_that_requests_a_wait_gets_no_message_until_then(int status) throws Exception {
        stage.start("&concurrency=1");
        AtomicLong refusedAt = new AtomicLong();
        AtomicLong nextAt = new AtomicLong();
        gateway.answersWith(id -> {
            if (refusedAt.compareAndSet(0, System.nanoTime())) {
                return new Answer(status, Map.of("Retry-After", "2"));
            }
            nextAt.compareAndSet(0, System.nanoTime());
            return Answer.of(200);
        });
        outbox.insertMany(20, 5);

        eventually(() -> assertThat(gateway.taken()).hasSize(20));
        assertThat(nextAt.get() - refusedAt.get()).isGreaterThan(1_950_000_000L);
        nothingIsWaitingOrDead();
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(ints = 429)
    void a_destination_that_requests_fewer_messages_gets_none_until_then(int status) throws Exception {
        a_destination_that_requests_a_wait_gets_no_message_until_then(status);
    }

    @Tag("long")
    @Test
    void a_destination_that_requests_an_absurd_wait_is_probed_as_if_it_had_requested_none() throws Exception {
        List<String> answers = new CopyOnWriteArrayList<>(List.of("Fri, 31 Dec 9999 23:59:59 GMT", "999999999"));
        gateway.answersWith(id -> {
            String wait = answers.isEmpty() ? null : answers.remove(0);
            return wait == null ? Answer.of(200) : new Answer(503, Map.of("Retry-After", wait));
        });
        outbox.insertMany(20, 20);
        stage.start("&concurrency=1");

        allArrive(20);
        nothingIsWaitingOrDead();
    }

    @Tag("long")
    @Test
    void one_message_at_a_time_probes_an_unavailable_destination() throws Exception {
        CountDownLatch onTheirWay = new CountDownLatch(8);
        List<Long> asked = new CopyOnWriteArrayList<>();
        gateway.answersWith(id -> {
            asked.add(System.nanoTime());
            onTheirWay.countDown();
            onTheirWay.await(); // all eight were started before the first answer
            return Answer.of(503);
        });
        outbox.insertMany(100, 100);
        stage.start("&concurrency=8");

        eventually(() -> assertThat(asked).hasSizeGreaterThanOrEqualTo(10));
        assertThat(asked.get(8) - asked.get(7)).isGreaterThan(900_000_000L);
        assertThat(asked.get(9) - asked.get(8)).isGreaterThan(1_900_000_000L);
        assertThat(gateway.asked()).doesNotHaveDuplicates(); // each probe is another message
        gateway.answersWith(id -> Answer.of(200));
        allArrive(100);
    }

    @Test
    void errors_for_all_messages_make_no_dead_letters_of_a_backlog() throws Exception {
        gateway.answersWith(id -> Answer.of(500));
        outbox.insertMany(500, 50);
        stage.start("&concurrency=8&backoff=50ms&maxBackoff=50ms&maxAttempts=3");
        eventually(() -> assertThat(gateway.asked()).hasSizeGreaterThanOrEqualTo(22));
        assertThat(outbox.dead("orders")).isEmpty();

        gateway.answersWith(id -> Answer.of(200));

        allArrive(500);
        assertThat(outbox.dead("orders")).isEmpty();
        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
        for (int key = 0; key < 50; key++) {
            int rest = key;
            assertThat(gateway.taken().stream().filter(id -> id % 50 == rest)).isSorted();
        }
    }

    @Test
    void errors_for_all_messages_make_no_dead_letters_of_what_is_retried_from_the_table() throws Exception {
        gateway.answersWith(id -> id <= 30 ? Answer.of(500) : Answer.of(200));
        outbox.insertMany(40, 40);
        stage.start("&concurrency=4&backoff=1000ms&maxBackoff=1000ms&maxAttempts=3");
        eventually(() -> assertThat(outbox.waiting("orders")).isNotEmpty());
        stage.stopRelay();
        outbox.execute("update outbox_retry set next_attempt_at = now()");
        gateway.answersWith(id -> Answer.of(500));
        stage.start("&concurrency=4&backoff=10ms&maxBackoff=10ms&maxAttempts=1000");
        int before = gateway.asked().size();
        eventually(() -> assertThat(gateway.asked()).hasSizeGreaterThan(before + 22));

        gateway.answersWith(id -> Answer.of(200));

        allArrive(40);
        assertThat(outbox.dead("orders")).isEmpty();
    }

    /** As of a receiver that limits, or does not know, one of its users. */
    @ParameterizedTest
    @ValueSource(ints = {403, 429, 503})
    void one_message_that_always_finds_the_destination_unavailable_while_others_pass_is_found_in_the_end(int status)
            throws Exception {
        gateway.answersWith(id -> id == 1 ? Answer.of(status) : Answer.of(200));
        outbox.insertMany(10, 10);
        stage.start("&maxAttempts=1");

        eventually(LONG, () -> {
            long next = outbox.insert("next"); // traffic continues
            assertThat(outbox.dead("orders")).containsExactly(1L);
            assertThat(gateway.taken()).contains(next - 1);
        });
    }

    @Tag("long")
    @Test
    void a_message_that_always_times_out_while_others_pass_is_found_in_the_end() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        gateway.answersWith(id -> {
            if (id == 1) {
                never.await(); // until the gateway is closed
            }
            return Answer.of(200);
        });
        outbox.insertMany(60, 60);
        stage.start("&concurrency=4&backoff=10ms&maxBackoff=10ms&maxAttempts=1", Duration.ofMillis(1_500));
        for (int more = 0; more < 60; more++) {
            outbox.insert("more" + more);
        }

        eventually(LONG, () -> {
            long next = outbox.insert("next"); // traffic continues
            assertThat(outbox.dead("orders")).containsExactly(1L);
            assertThat(gateway.taken()).contains(next - 1);
        });
    }

    /** As of a receiver that one message keeps so busy that it tells the others to wait. */
    @Tag("long")
    @Test
    void a_message_that_times_out_while_others_find_the_destination_unavailable_is_sent_once_more_than_it_may_fail()
            throws Exception {
        AtomicBoolean busy = new AtomicBoolean();
        gateway.answersWith(id -> {
            if (id == 1) {
                busy.set(true);
                Thread.sleep(2_000);
                busy.set(false);
            }
            return Answer.of(busy.get() ? 503 : 200);
        });
        outbox.insert("heavy");
        stage.start("&order=none&concurrency=4&backoff=10ms&maxBackoff=10ms&maxAttempts=3", Duration.ofMillis(1_500));

        eventually(LONG, () -> {
            outbox.insert("light");
            assertThat(outbox.dead("orders")).containsExactly(1L);
        });
        assertThat(gateway.asked().stream().filter(id -> id == 1)).hasSizeBetween(3, 4);
    }

    private void nothingIsWaitingOrDead() {
        assertThat(outbox.waiting("orders")).isEmpty();
        assertThat(outbox.dead("orders")).isEmpty();
    }

    private void allArrive(int count) throws Exception {
        eventually(LONG, () -> {
            assertThat(gateway.taken().stream().distinct()).hasSize(count);
            assertThat(outbox.passed("orders", count)).isTrue();
        });
    }
}
