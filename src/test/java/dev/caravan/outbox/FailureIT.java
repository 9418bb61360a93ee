package dev.caravan.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.headers.OutboxConstants;
import dev.caravan.outbox.TestOutbox.Waiting;
import dev.caravan.subscription.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.apache.camel.builder.RouteBuilder;
import org.apache.kafka.common.errors.SerializationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages that cannot be delivered, on a real database and with the policy that is shipped. */
class FailureIT {
    private static final String PATIENT = "&maxAttempts=1000";

    private final TestDestination destination = new TestDestination();
    private final Set<Long> failing = ConcurrentHashMap.newKeySet();
    private final Set<Long> poison = ConcurrentHashMap.newKeySet();
    private TestOutbox outbox;
    private Person person;
    private TestRelay relay;

    @BeforeEach
    void create() throws Exception {
        outbox = TestOutbox.create();
        person = new Person(outbox);
        destination.before(arrival -> {
            if (poison.contains(arrival.id())) {
                throw new SerializationException("told to be poison");
            }
            if (failing.contains(arrival.id())) {
                throw new IllegalStateException("told to fail");
            }
        });
    }

    @AfterEach
    void close() throws Exception {
        if (relay != null) {
            relay.close();
        }
        outbox.close();
    }

    @Test
    void attempts_are_counted_across_restarts_of_the_relay() throws Exception {
        failing.add(1L);
        outbox.insert("a");
        start("orders?backoff=1&maxBackoff=1&maxAttempts=1000");
        eventually(() -> assertThat(attemptsOf(1)).isGreaterThanOrEqualTo(3));
        relay.close();
        int before = attemptsOf(1);

        failing.clear();
        start("orders?backoff=1&maxBackoff=1&maxAttempts=1000");

        eventually(() -> assertThat(destination.ids()).containsExactly(1L));
        assertThat(destination.arrivals().get(0).attempt()).isEqualTo(before + 1);
        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
    }

    @Test
    void a_failing_message_blocks_its_key_in_order_and_no_other() throws Exception {
        failing.add(1L);
        outbox.insertMany(20, 2); // odd ids are k1, even ids k0
        start("orders?backoff=20&maxBackoff=20" + PATIENT);

        eventually(() -> {
            assertThat(outbox.passed("orders", 20)).isTrue();
            assertThat(destination.idsOf("k0")).hasSize(10).isSorted();
            assertThat(outbox.waiting("orders")).hasSize(10);
            assertThat(attemptsOf(1)).isPositive();
        });
        assertThat(outbox.waiting("orders").subList(1, 10)).allSatisfy(waiting -> {
            assertThat(waiting.blocked()).isTrue();
            assertThat(waiting.attempts()).isZero();
        });
        assertThat(destination.idsOf("k1")).isEmpty();
        long late = outbox.insert("k1"); // queues up behind them
        eventually(() -> assertThat(outbox.waiting("orders")).hasSize(11));

        failing.clear();

        eventually(() -> assertThat(destination.idsOf("k1")).hasSize(11).endsWith(late));
        assertThat(destination.idsOf("k1")).isSorted().doesNotHaveDuplicates();
        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
        assertThat(outbox.dead("orders")).isEmpty();
    }

    @Test
    void a_message_is_dead_after_its_attempts_and_the_others_of_its_key_follow() throws Exception {
        failing.add(1L);
        outbox.insertMany(5, 1);
        start("orders?backoff=1&maxBackoff=1&maxAttempts=4");

        eventually(() -> {
            assertThat(outbox.dead("orders")).containsExactly(1L);
            assertThat(destination.ids()).containsExactly(2L, 3L, 4L, 5L);
        });
        assertThat(destination.failedIds()).containsExactly(1L, 1L, 1L, 1L);
        assertThat(outbox.jdbc().queryForObject("select attempts from outbox_dead_letter", Integer.class))
                .isEqualTo(4);
        assertThat(outbox.jdbc().queryForObject("select error_stack from outbox_dead_letter", String.class))
                .contains("told to fail");
        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
    }

    @Test
    void a_message_that_fails_for_too_long_is_dead() throws Exception {
        failing.add(1L);
        outbox.insert("a");
        start("orders?backoff=20&maxBackoff=20&maxAge=2000" + PATIENT);

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(1L));
        assertThat(destination.failedIds()).hasSizeGreaterThan(1);
    }

    @Test
    void a_retried_dead_letter_that_blocks_goes_first_and_the_others_follow() throws Exception {
        poison.add(1L);
        outbox.insertMany(6, 2);
        start("orders?onDead=block");
        keyIsHeldByDeadLetter();

        poison.clear();
        assertThat(person.retryAll()).isEqualTo(1);

        eventually(() -> assertThat(destination.idsOf("k1")).containsExactly(1L, 3L, 5L));
        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
        assertThat(outbox.dead("orders")).isEmpty();
    }

    @Test
    void when_a_dead_letter_that_blocks_is_discarded_the_others_follow() throws Exception {
        poison.add(1L);
        outbox.insertMany(6, 2);
        start("orders?onDead=block");
        keyIsHeldByDeadLetter();

        assertThat(person.discardAll()).isEqualTo(1);

        eventually(() -> assertThat(destination.idsOf("k1")).containsExactly(3L, 5L));
        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
    }

    @Test
    void a_dead_letter_that_blocks_does_so_after_a_restart_too() throws Exception {
        poison.add(1L);
        outbox.insertMany(6, 2);
        start("orders?onDead=block");
        keyIsHeldByDeadLetter();
        relay.close();
        start("orders?onDead=block");
        long other = outbox.insert("k0");
        long held = outbox.insert("k1");
        eventually(() -> assertThat(destination.ids()).contains(other));
        eventually(() -> assertThat(outbox.passed("orders", held)).isTrue());
        assertThat(destination.idsOf("k1")).isEmpty();

        person.discardAll();

        eventually(() -> assertThat(destination.idsOf("k1")).containsExactly(3L, 5L, held));
    }

    private void keyIsHeldByDeadLetter() throws Exception {
        eventually(() -> {
            assertThat(outbox.dead("orders")).containsExactly(1L);
            assertThat(destination.ids()).containsExactlyInAnyOrder(2L, 4L, 6L);
            assertThat(outbox.waiting("orders")).containsExactly(new Waiting(3, true, 0), new Waiting(5, true, 0));
        });
    }

    @Test
    void poison_is_dead_at_once_with_everything_that_is_known_about_it() throws Exception {
        long id = outbox.insert("a", "order.created", "{\"n\": 1.50}");
        relay = TestRelay.startAsShipped(outbox.pool(), new RouteBuilder() {
            @Override
            public void configure() {
                from("outbox:orders").to("direct:broken?timeout=1000");
                from("direct:broken").process(exchange -> {
                    throw new RuntimeException("wrapped", new SerializationException("told to be\0poison"));
                });
            }
        });

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(id));
        var row = outbox.jdbc().queryForMap("select * from outbox_dead_letter");
        assertThat(row)
                .containsEntry("attempts", 1)
                .containsEntry("error_class", SerializationException.class.getName())
                .containsEntry("error_text", "told to bepoison")
                .containsEntry("step", "direct://broken")
                .containsEntry("edited", false);
        assertThat(row.get("payload")).hasToString("{\"n\": 1.50}");
        assertThat(row.get("error_stack").toString())
                .startsWith("java.lang.RuntimeException: wrapped")
                .hasSizeLessThanOrEqualTo(8_000);
        assertThat(outbox.waiting("orders")).isEmpty();
    }

    @Test
    void what_a_destination_quotes_of_a_message_is_kept_nowhere() throws Exception {
        String payload = "{\"name\": \"Bob Smith\", \"phone\": \"+491701234567\"}";
        outbox.insert("a", "order.created", payload);
        outbox.insert("b", "order.created", payload);
        relay = TestRelay.startAsShipped(outbox.pool(), new RouteBuilder() {
            @Override
            public void configure() {
                from("outbox:orders").to("direct:+491701234567");
                from("direct:+491701234567").process(exchange -> {
                    String text = "<bob@example.com>, +49 170 1234567 unknown: " + payload;
                    boolean poison =
                            exchange.getMessage().getHeader("aggregate-id").equals("a");
                    throw new RuntimeException(
                            text, poison ? new SerializationException(text) : new IllegalStateException(text));
                });
            }
        });

        eventually(() -> {
            assertThat(outbox.dead("orders")).hasSize(1);
            assertThat(outbox.waiting("orders")).hasSize(1);
        });

        String all = outbox.jdbc()
                .queryForObject(
                        "select string_agg(text, ' ') from (select error_text || error_stack || step as text from"
                                + " outbox_dead_letter union all select error_text from outbox_retry) part",
                        String.class);
        assertThat(all).contains("<•••@example.com>, ••• unknown: •••").doesNotContain("bob", "Bob", "170");
    }

    @Test
    void each_dead_letter_passes_the_route_dead_letter_and_its_failure_changes_nothing() throws Exception {
        poison.addAll(List.of(1L, 2L));
        List<String> seen = new CopyOnWriteArrayList<>();
        start("orders");
        relay.context().getRouteController().stopRoute("dead-letter");
        relay.context().removeRoute("dead-letter");
        relay.context().addRoutes(new RouteBuilder() {
            @Override
            public void configure() {
                from("direct:dead-letter").process(exchange -> {
                    var in = exchange.getMessage();
                    seen.add(in.getHeader(OutboxConstants.POSITION) + " "
                            + in.getHeader(OutboxConstants.SUBSCRIPTION)
                            + " " + in.getHeader(OutboxConstants.KEY)
                            + " " + in.getHeader(OutboxConstants.ERROR_TEXT) + " " + in.getBody());
                    throw new IllegalStateException("the alert is broken");
                });
            }
        });
        outbox.insertMany(3, 3);

        eventually(() -> {
            assertThat(seen)
                    .containsExactlyInAnyOrder(
                            "1 orders order/k1 told to be poison {}", "2 orders order/k2 told to be poison {}");
            assertThat(outbox.dead("orders")).containsExactly(1L, 2L);
            assertThat(outbox.passed("orders", 3)).isTrue();
        });
        assertThat(destination.ids()).containsExactly(3L);
        assertThat(outbox.waiting("orders")).isEmpty();
    }

    @Test
    void strict_stops_at_a_dead_letter_and_goes_on_when_it_is_discarded() throws Exception {
        poison.add(2L);
        outbox.insertMany(5, 5);
        start("orders?order=strict");
        stopsAtSecond();

        person.discardAll();

        eventually(() -> assertThat(destination.ids()).containsExactly(1L, 3L, 4L, 5L));
    }

    @Test
    void strict_goes_on_with_the_dead_letter_when_it_is_retried() throws Exception {
        poison.add(2L);
        outbox.insertMany(5, 5);
        start("orders?order=strict");
        stopsAtSecond();

        poison.clear();
        person.retryAll();

        eventually(() -> assertThat(destination.ids()).containsExactly(1L, 2L, 3L, 4L, 5L));
    }

    @Test
    void strict_tries_again_though_more_waits_than_fits_the_window() throws Exception {
        failing.add(2L);
        outbox.insertMany(50, 5);
        start("orders?order=strict&window=10&backoff=10&maxBackoff=10" + PATIENT);
        eventually(() -> assertThat(attemptsOf(2)).isPositive());

        failing.clear();

        eventually(() -> assertThat(destination.ids()).hasSize(50).isSorted());
    }

    @Test
    void strict_waits_for_a_failing_message_through_a_restart() throws Exception {
        failing.add(2L);
        outbox.insertMany(5, 5);
        start("orders?order=strict&backoff=10&maxBackoff=10" + PATIENT);
        eventually(() -> assertThat(attemptsOf(2)).isGreaterThan(2));
        relay.close();
        start("orders?order=strict&backoff=10&maxBackoff=10" + PATIENT);
        int before = attemptsOf(2);
        eventually(() -> assertThat(attemptsOf(2)).isGreaterThan(before));
        assertThat(destination.ids()).containsExactly(1L);

        failing.clear();

        eventually(() -> assertThat(destination.ids()).containsExactly(1L, 2L, 3L, 4L, 5L));
    }

    private void stopsAtSecond() throws Exception {
        eventually(() -> {
            assertThat(outbox.dead("orders")).containsExactly(2L);
            assertThat(outbox.saved("orders").position()).isEqualTo(5);
            assertThat(outbox.saved("orders").gaps().toMultirange()).isEqualTo("{[3,6)}");
        });
        assertThat(destination.ids()).containsExactly(1L);
    }

    @Test
    void without_an_order_neither_failing_nor_dead_messages_block_anything() throws Exception {
        failing.add(1L);
        poison.add(2L);
        outbox.insertMany(10, 1);
        start("orders?order=none&backoff=20&maxBackoff=20&onDead=block" + PATIENT);

        eventually(() -> {
            assertThat(destination.ids()).hasSize(8);
            assertThat(outbox.waiting("orders")).hasSize(1);
            assertThat(outbox.dead("orders")).containsExactly(2L);
        });
        failing.clear();
        eventually(() -> assertThat(destination.ids()).hasSize(9).endsWith(1L));
    }

    @Test
    void pipelined_sends_later_messages_of_a_key_again_after_the_one_that_failed() throws Exception {
        try (AsyncDestination broker = new AsyncDestination()) {
            broker.holdUntilStarted(6);
            broker.failOnce(3);
            outbox.insertMany(6, 2); // odd ids are k1
            relay = TestRelay.start(outbox, "orders?pipelined=true&backoff=5", broker);

            eventually(() -> assertThat(broker.startedOf(List.of(1L, 3L, 5L))).containsExactly(1L, 3L, 5L, 3L, 5L));
            eventually(() -> {
                assertThat(outbox.passed("orders", 6)).isTrue();
                assertThat(outbox.waiting("orders")).isEmpty();
            });
            assertThat(broker.startedOf(List.of(2L, 4L, 6L))).containsExactly(2L, 4L, 6L);
        }
    }

    @Test
    void order_and_completeness_survive_restarts_while_many_keys_are_blocked() throws Exception {
        Random random = new Random(11);
        destination.before(arrival -> {
            synchronized (random) {
                if (random.nextInt(5) == 0) {
                    throw new IllegalStateException("told to fail");
                }
            }
        });
        int messages = 600;
        for (int round = 0; round < 4; round++) {
            start("orders?backoff=5&maxBackoff=20" + PATIENT);
            if (round < 3) {
                outbox.insertMany(messages / 3, 20);
                int wanted = messages / 3 * round + messages / 6;
                eventually(() -> assertThat(destination.ids()).hasSizeGreaterThanOrEqualTo(wanted));
                relay.close();
            }
        }
        eventually(() -> {
            assertThat(destination.ids().stream().distinct()).hasSize(messages);
            assertThat(outbox.passed("orders", messages)).isTrue();
            assertThat(outbox.waiting("orders")).isEmpty();
        });
        assertThat(outbox.dead("orders")).isEmpty();
        assertThat(destination.ids()).doesNotHaveDuplicates(); // every stop was a clean one
        for (int key = 0; key < 20; key++) {
            assertThat(destination.idsOf("k" + key)).as("k" + key).hasSize(30).isSorted();
        }
    }

    @Test
    void a_replay_delivers_again_in_order_per_key_and_leaves_the_progress_alone() throws Exception {
        outbox.insertMany(30, 3);
        long other = outbox.insert("k1", "other.type", "{}");
        start("orders?types=order.*");
        eventually(() -> assertThat(outbox.passed("orders", other)).isTrue());
        assertThat(destination.ids()).hasSize(30);

        assertThat(person.replayFrom("orders", 16)).isEqualTo(15);
        long fresh = outbox.insert("k1");

        eventually(() -> assertThat(destination.ids()).hasSize(46));
        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
        List<Long> again = destination.ids().subList(30, 46);
        assertThat(again)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.concat(LongStream.rangeClosed(16, 30), LongStream.of(fresh))
                                .boxed()
                                .toList());
        for (int key = 0; key < 3; key++) {
            List<Long> replayed = new ArrayList<>(destination
                    .idsOf("k" + key)
                    .subList(10, destination.idsOf("k" + key).size()));
            replayed.remove(fresh);
            assertThat(replayed).hasSize(5).isSorted();
        }
        eventually(() -> assertThat(outbox.saved("orders").position()).isEqualTo(fresh));
    }

    @Test
    void a_paused_subscription_keeps_what_waits_and_goes_on_when_resumed() throws Exception {
        failing.add(1L);
        outbox.insertMany(4, 2);
        start("orders?backoff=10&maxBackoff=10" + PATIENT);
        eventually(() -> assertThat(attemptsOf(1)).isPositive());
        person.pause("orders");
        eventually(() -> assertThat(outbox.saved("orders").owner()).isNull());
        int attempts = destination.failedIds().size();
        failing.clear();
        long late = outbox.insert("k1");
        assertThatThrownBy(() -> new Person(outbox).delete("unknown")).isInstanceOf(Refusal.class);
        assertThat(destination.failedIds()).hasSize(attempts);

        person.resume("orders");

        eventually(() -> assertThat(destination.idsOf("k1")).containsExactly(1L, 3L, late));
    }

    @Test
    void a_subscription_is_deleted_only_when_no_relay_works_it() throws Exception {
        failing.add(1L);
        outbox.insertMany(4, 2);
        start("orders?backoff=10&maxBackoff=10" + PATIENT);
        eventually(() -> assertThat(attemptsOf(1)).isPositive());

        assertThatThrownBy(() -> person.delete("orders"))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("a route uses it");
        relay.close();
        person.delete("orders");

        assertThat(outbox.waiting("orders")).isEmpty();
        assertThat(outbox.jdbc().queryForObject("select count(*) from outbox_subscription", Integer.class))
                .isZero();
    }

    @Test
    void a_relay_leaves_the_types_of_its_route_for_a_replay() throws Exception {
        start("orders?types=order.*, a_b");

        eventually(() -> assertThat(
                        outbox.jdbc().queryForList("select unnest(types) from outbox_subscription", String.class))
                .containsExactly("order.%", "a\\_b"));
    }

    @Test
    void a_lane_whose_retries_could_not_be_read_at_first_is_worked_when_they_can() throws Exception {
        outbox.jdbc().execute("alter table outbox_retry rename to hidden");
        outbox.insert("a");
        start("orders");
        eventually(() -> assertThat(outbox.saved("orders").epoch()).isPositive());

        outbox.jdbc().execute("alter table hidden rename to outbox_retry");

        eventually(() -> assertThat(destination.ids()).containsExactly(1L));
    }

    @Test
    void the_privileges_that_check_asks_for_are_enough_for_failures() throws Exception {
        failing.add(1L);
        poison.add(2L);
        outbox.insertMany(6, 3);
        try (var pool = outbox.poolOfRoleWithGrants()) {
            relay = TestRelay.startAsShipped(
                    pool, "orders?onDead=block&backoff=10&maxBackoff=10" + PATIENT, destination);
            eventually(() -> {
                assertThat(attemptsOf(1)).isPositive();
                assertThat(outbox.dead("orders")).containsExactly(2L);
            });
            failing.clear();
            poison.clear();
            person.retryAll();

            eventually(() -> assertThat(destination.ids()).hasSize(6));
            relay.close();
        }
    }

    private int attemptsOf(long id) {
        return outbox.waiting("orders").stream()
                .filter(waiting -> waiting.id() == id)
                .mapToInt(Waiting::attempts)
                .sum();
    }

    private void start(String uri) throws Exception {
        relay = TestRelay.startAsShipped(outbox, uri, destination);
    }
}
