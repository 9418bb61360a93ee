package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.WrittenLog;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.camel.outbox.HttpGateway.Answer;
import dev.caravan.operate.subscription.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.apache.camel.builder.RouteBuilder;
import org.apache.kafka.common.errors.SerializationException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Messages that cannot be delivered: what is stored of them, and how people handle them. */
class FailureIT extends FailureFixture {
    @Test
    void poison_is_dead_at_once_with_everything_that_is_known_about_it() throws Exception {
        long id = outbox.insert("a", "order.created", "{\"n\": 1.50}");
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            routes.from("outbox:orders").to("direct:broken?timeout=1000");
            routes.from("direct:broken").process(exchange -> {
                throw new RuntimeException("wrapped", new SerializationException("told to be\0poison"));
            });
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
    void what_a_destination_quotes_of_a_message_is_not_stored() throws Exception {
        String payload = "{\"name\": \"Bob Smith\", \"phone\": \"+491701234567\"}";
        outbox.insert("a", "order.created", payload);
        outbox.insert("b", "order.created", payload);
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            routes.from("outbox:orders").to("direct:+491701234567");
            routes.from("direct:+491701234567").process(exchange -> {
                String text = "<bob@example.com>, +49 170 1234567 unknown: " + payload;
                boolean poison = exchange.getMessage().getHeader("aggregate-id").equals("a");
                throw new RuntimeException(
                        text, poison ? new SerializationException(text) : new IllegalStateException(text));
            });
        });

        eventually(() -> {
            assertThat(outbox.dead("orders")).hasSize(1);
            assertThat(outbox.waiting("orders")).hasSize(1);
        });

        String all =
                outbox.text("select string_agg(text, ' ') from (select error_text || error_stack || step as text from"
                        + " outbox_dead_letter union all select error_text from outbox_retry) part");
        assertThat(all).contains("<•••@example.com>, ••• unknown: •••").doesNotContain("bob", "Bob", "170");
    }

    @Test
    void what_a_destination_quotes_of_the_headers_of_a_row_is_not_stored() throws Exception {
        outbox.insert("a", "order.created", "{}");
        outbox.jdbc()
                .update(
                        "insert into outbox (aggregate_type, aggregate_id, type, headers, payload) values ('order', 'b',"
                                + " 'order.created', '{\"x-customer\": \"Robert \\\"Bob\\\" Smith\"}', '{}')");
        relay = TestRelay.startAsShipped(
                outbox.pool(), routes -> routes.from("outbox:orders").process(exchange -> {
                    throw new SerializationException("refused {\"x-customer\": \"Robert \\\"Bob\\\" Smith\"}");
                }));

        eventually(() -> assertThat(outbox.dead("orders")).hasSize(2));

        assertThat(outbox.text("select error_text || error_stack from outbox_dead_letter where aggregate_id = 'b'"))
                .contains("refused {\"x-customer\": \"•••\"}")
                .doesNotContain("Bob");
    }

    @Test
    void each_dead_letter_passes_the_route_dead_letter_and_its_failure_changes_nothing() throws Exception {
        poison.addAll(List.of(1L, 2L));
        List<String> seen = new CopyOnWriteArrayList<>();
        start("orders");
        relay.context().getRouteController().stopRoute("dead-letter");
        relay.context().removeRoute("dead-letter");
        RouteBuilder.addRoutes(
                relay.context(), routes -> routes.from("direct:dead-letter").process(exchange -> {
                    var in = exchange.getMessage();
                    seen.add(in.getHeader(OutboxConstants.POSITION) + " "
                            + in.getHeader(OutboxConstants.SUBSCRIPTION)
                            + " " + in.getHeader(OutboxConstants.KEY)
                            + " " + in.getHeader(OutboxConstants.ERROR_TEXT) + " " + in.getBody());
                    throw new IllegalStateException("the alert is broken");
                }));
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
    void a_replay_delivers_again_in_order_per_key_and_leaves_the_progress_alone() throws Exception {
        outbox.insertMany(30, 3);
        long other = outbox.insert("k1", "other.type", "{}");
        start("orders?types=order.*");
        outbox.awaitPassed("orders", other);
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
    void a_paused_subscription_keeps_what_waits_and_continues_when_resumed() throws Exception {
        failing.add(1L);
        outbox.insertMany(4, 2);
        start("orders?backoff=10ms&maxBackoff=10ms" + PATIENT);
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
        start("orders?backoff=10ms&maxBackoff=10ms" + PATIENT);
        eventually(() -> assertThat(attemptsOf(1)).isPositive());

        assertThatThrownBy(() -> person.delete("orders"))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("a route uses it");
        relay.close();
        person.delete("orders");

        assertThat(outbox.waiting("orders")).isEmpty();
        assertThat(outbox.number("select count(*) from outbox_subscription")).isZero();
    }

    @Test
    void a_relay_leaves_the_types_of_its_route_for_a_replay() throws Exception {
        start("orders?types=order.*, a_b");

        eventually(() -> assertThat(
                        outbox.jdbc().queryForList("select unnest(types) from outbox_subscription", String.class))
                .containsExactly("order.%", "a\\_b"));
    }

    @Tag("long")
    @Test
    void a_lane_whose_retries_could_not_be_read_at_first_is_worked_when_they_can() throws Exception {
        outbox.execute("alter table outbox_retry rename to hidden");
        outbox.insert("a");
        start("orders");
        eventually(() -> assertThat(outbox.saved("orders").epoch()).isPositive());

        outbox.execute("alter table hidden rename to outbox_retry");

        eventually(() -> assertThat(destination.ids()).containsExactly(1L));
    }

    @Test
    void the_privileges_that_check_asks_for_are_enough_for_failures() throws Exception {
        failing.add(1L);
        poison.add(2L);
        outbox.insertMany(6, 3);
        try (var pool = outbox.poolOfRoleWithGrants()) {
            relay = TestRelay.startAsShipped(
                    pool, "orders?onDead=block&backoff=10ms&maxBackoff=10ms" + PATIENT, destination);
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

    @Test
    void lines_of_the_log_about_a_failed_attempt_and_a_dead_letter_have_subscription_and_message_id() throws Exception {
        outbox.insert("a");
        String id = outbox.text("select message_id from outbox");
        WrittenLog attempts = WrittenLog.of(AttemptLog.class);
        WrittenLog dead = WrittenLog.of("dead-letter");
        TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:failing?maxAttempts=2&backoff=1ms")
                .throwException(IllegalStateException.class, "no"));

        eventually(() -> assertThat(dead.contexts()).hasSize(1));

        Map<String, String> context = Map.of("subscription", "failing", "messageId", id);
        assertThat(attempts.contexts()).isNotEmpty().allSatisfy(each -> assertThat(each)
                .containsAllEntriesOf(context));
        assertThat(dead.contexts().get(0)).containsAllEntriesOf(context);
    }

    /** With a real destination. {@link PartRoutesTest} has all ways to send parts. */
    @Test
    void a_split_of_three_of_which_one_is_refused_is_a_dead_letter() throws Exception {
        HttpGateway http = new HttpGateway();
        http.answersWith(part -> Answer.of(part == 2 ? 400 : 200));
        outbox.insert("a", "order.created", "\"1,2,3\"");
        TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:orders")
                .transform(routes.body().regexReplaceAll("\"", ""))
                .split(UserRoutes.tokens())
                .setHeader("position", routes.body())
                .to(http.uri()));

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(1L));
        assertThat(http.taken()).contains(1L, 3L);
        assertThat(outbox.text("select error_class from outbox_dead_letter")).endsWith("HttpOperationFailedException");
    }
}
