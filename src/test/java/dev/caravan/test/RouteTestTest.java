package dev.caravan.test;

import static dev.caravan.routes.destination.Answer.OK;
import static dev.caravan.routes.destination.Answer.cut;
import static dev.caravan.routes.destination.Answer.refused;
import static dev.caravan.routes.destination.Answer.status;
import static dev.caravan.routes.destination.Answer.timeout;
import static dev.caravan.test.TestMessage.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.routes.destination.Answer;
import dev.caravan.routes.destination.HttpSent;
import dev.caravan.routes.destination.KafkaSent;
import dev.caravan.routes.destination.Sent;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.camel.builder.RouteBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each assertion of the kit holds for one outcome and fails for another one, with a text that names the outcome and its reason. */
class RouteTestTest {
    @RegisterExtension
    static final RouteTest routes = RouteTest.of(new Routes())
            .property("partner.url", "http://partner.example.com/hooks")
            .property("partner.password", "very-secret-value")
            .bean("namer", new Namer())
            .build();

    /** A bean of the test. */
    public static final class Namer {
        public String name(String type) {
            return type.toUpperCase();
        }
    }

    private static final class Routes extends RouteBuilder {
        @Override
        public void configure() {
            from("outbox:http?types=http.*")
                    .routeId("http")
                    .setHeader("Authorization", constant("Bearer very-secret-value"))
                    .to("{{partner.url}}?httpMethod=POST&password=very-secret-value");
            from("outbox:unordered?types=unordered&order=none")
                    .routeId("unordered")
                    .to("{{partner.url}}");
            from("outbox:blocking?types=blocking&onDead=block")
                    .routeId("blocking")
                    .to("{{partner.url}}");
            from("outbox:strict?types=strict&order=strict").routeId("strict").to("{{partner.url}}");
            from("outbox:pipelined?types=pipelined&pipelined=true")
                    .routeId("pipelined")
                    .to("kafka:records");
            from("outbox:filters?types=filters")
                    .routeId("filters")
                    .filter(body().contains("large"))
                    .to("kafka:records");
            from("outbox:once?types=once")
                    .routeId("once")
                    .idempotentConsumer(header("id"))
                    .idempotentRepository("messageIds")
                    .eager(false)
                    .to("{{partner.url}}");
            from("outbox:batches?types=batches&batching=true")
                    .routeId("batches")
                    .setBody(simple("${body.json}"))
                    .to("{{partner.url}}");
            from("outbox:records?types=records&batching=true&batchMaxMessages=2")
                    .routeId("records")
                    .to("kafka:records");
            from("outbox:parts?types=parts")
                    .routeId("parts")
                    .split(jsonpath("$.items"))
                    .to("kafka:items");
            from("outbox:computed?types=computed").routeId("computed").toD("http://${header.host}/in");
            from("outbox:many?types=many").routeId("many").recipientList(constant("kafka:one,kafka:two"));
            from("outbox:tries?types=tries")
                    .routeId("tries")
                    .doTry()
                    .to("{{partner.url}}")
                    .doCatch(Exception.class)
                    .to("kafka:failed")
                    .end();
            from("outbox:handles?types=handles")
                    .routeId("handles")
                    .onException(IOException.class, org.apache.camel.http.base.HttpOperationFailedException.class)
                    .handled(true)
                    .to("outbox:dead-letter")
                    .end()
                    .to("{{partner.url}}");
            from("outbox:beans?types=beans")
                    .routeId("beans")
                    .setHeader("name", method("namer", "name(${header.type})"))
                    .to("kafka:records");
            from("outbox:two-a?types=two").routeId("two-a").to("kafka:a");
            from("outbox:two-b?types=two").routeId("two-b").to("{{partner.url}}");
        }
    }

    @Test
    void a_message_is_delivered() {
        TestedMessage order = send("http.placed");

        order.assertDelivered().assertAcknowledged();
        assertThat(order.http().url()).startsWith("http://partner.example.com/hooks");
        assertThat(order.http().text()).isEqualTo("{}");
        assertThat(order.attempts()).isEqualTo(1);
        fails(
                order::assertDead,
                "Expected the message to be a dead letter",
                "(http.placed, key http/1)",
                "was delivered");
        fails(order::assertRetried, "to be retried", "was delivered");
        fails(order::assertFiltered, "to be filtered out", "-> answered 200");
        fails(order::assertRepeat, "as a repeat");
        fails(order::assertUnavailable, "to wait for its unavailable destination");
        fails(order::assertBlocked, "to wait behind");
        fails(order::kafka, "Expected one Kafka record in the last attempt, but there were 0", "http POST");
        fails(() -> order.assertReason("any"), "No attempt has failed");
        fails(routes::assertNothingSent, "http POST http://partner.example.com/hooks");
    }

    @Test
    void a_secret_is_not_part_of_a_failed_assertion() {
        assertThatThrownBy(send("http.placed")::assertDead).satisfies(error -> assertThat(error.getMessage())
                .contains("Authorization: Bearer •••")
                .doesNotContain("very-secret-value"));
    }

    @Test
    void a_message_is_retried_until_it_is_delivered() {
        routes.answer(status(500), status(500), OK);

        TestedMessage order = send("http.placed");

        order.assertRetried().assertReason("statusCode: 500");
        fails(
                order::assertDelivered,
                "is retried: 1 of 10 attempts have failed",
                "Reason: org.apache.camel.http.base.HttpOperationFailedException",
                "statusCode: 500",
                "Step: http://partner.example.com/hooks",
                "-> answered 500",
                "RouteTest.retry() makes the next attempt");
        fails(order::assertAcknowledged, "to be acknowledged");
        fails(() -> order.assertReason("statusCode: 404"), "to contain \"statusCode: 404\"", "statusCode: 500");
        routes.retry();
        fails(order::assertDelivered, "2 of 10 attempts have failed");
        routes.retry();
        order.assertDelivered();
        assertThat(order.attempts()).isEqualTo(3);
        assertThat(order.sent(HttpSent.class)).hasSize(3);
    }

    @Test
    void a_message_that_always_fails_becomes_a_dead_letter() {
        routes.answer(status(500));

        TestedMessage order = send("http.placed");
        routes.retryToTheEnd();

        order.assertDead();
        assertThat(order.attempts()).isEqualTo(10);
        fails(order::assertDelivered, "is a dead letter", "Attempt 10 sent:");
    }

    @Test
    void a_rejected_message_is_dead_at_once() {
        routes.answer(status(422).withBody("no such customer"));

        send("http.placed").assertDead().assertReason("no such customer");
    }

    static List<Answer> unavailable() {
        return List.of(status(429).withRetryAfter(Duration.ofSeconds(30)), refused());
    }

    static List<Answer> missing() {
        return List.of(timeout(), cut());
    }

    @ParameterizedTest
    @MethodSource("missing")
    void a_message_without_an_answer_is_retried_because_the_receiver_may_have_accepted_it(Answer answer) {
        routes.answer(answer, OK);

        TestedMessage message = send("http.placed");

        message.assertRetried();
        assertThat(message.attempts()).isEqualTo(1);
        routes.retry();
        message.assertDelivered();
    }

    @ParameterizedTest
    @MethodSource("unavailable")
    void all_messages_wait_while_a_destination_is_unavailable(Answer answer) {
        routes.answer(answer, OK);

        TestedMessage first = send("http.placed");
        TestedMessage second = send("http.paid");

        first.assertUnavailable();
        second.assertUnavailable();
        assertThat(second.attempts()).isZero();
        assertThat(first.retryAfter()).isEqualTo(answer.status() == 429 ? Duration.ofSeconds(30) : Duration.ZERO);
        fails(first::assertRetried, "waits, because the destination counts as unavailable");
        fails(second::assertDelivered, "waits without an attempt");
        routes.retry();
        first.assertDelivered();
        second.assertDelivered();
    }

    @Test
    void a_destination_that_stays_unavailable_ends_the_attempts_with_a_reason() {
        routes.answer(status(503));
        send("http.placed");

        fails(routes::retryToTheEnd, "Messages still wait after 30 more attempts", "attempts do not count");
    }

    @Test
    void a_later_message_of_a_key_waits_behind_an_earlier_one() {
        routes.answer(status(500), OK);

        List<TestedMessage> sent = routes.sendAll(
                message("http.placed").key("order/7").payload("1"),
                message("http.paid").key("order/7").payload("2"),
                message("http.placed").key("order/8").payload("3"));

        sent.get(0).assertRetried();
        sent.get(1).assertBlocked();
        sent.get(2).assertDelivered();
        fails(sent.get(1)::assertDelivered, "waits behind an earlier message");
        fails(
                () -> routes.assertOrder("order/7"),
                "no route has delivered two of them",
                "1 of 10 attempts have failed");
        routes.retry();
        sent.get(1).assertDelivered();
        routes.assertOrder("order/7");
        assertThat(routes.sentTo("partner")).extracting(Sent::text).containsExactly("1", "3", "1", "2");
        fails(() -> routes.assertOrder("order/8"), "no route has delivered two of them");
    }

    @Test
    void a_route_without_order_overtakes() {
        routes.answer(status(500), OK);

        routes.sendAll(message("unordered").key("order/7"), message("unordered").key("order/7"));
        routes.retry();

        fails(() -> routes.assertOrder("order/7"), "route unordered delivered them in the order 2, 1", "order=none");
    }

    @Test
    void a_dead_letter_blocks_its_key_if_the_route_says_so() {
        routes.answer(status(400), OK);

        List<TestedMessage> sent = routes.sendAll(
                message("blocking").key("order/7"), message("blocking").key("order/7"));
        TestedMessage later = routes.send(message("blocking").key("order/7"));
        routes.retryToTheEnd();

        sent.get(0).assertDead();
        sent.get(1).assertBlocked();
        later.assertBlocked();
    }

    @Test
    void in_strict_order_everything_waits_behind_a_failure() {
        routes.answer(status(500), OK);

        List<TestedMessage> sent = routes.sendAll(
                message("strict").key("order/7"), message("strict").key("order/8"));

        assertThat(sent.get(1).attempts()).isZero();
        routes.retry();
        sent.forEach(TestedMessage::assertDelivered);
    }

    @Test
    void pipelined_messages_stay_in_order() {
        routes.answer(cut(), OK);

        routes.sendAll(message("pipelined").key("order/7"), message("pipelined").key("order/7"));
        routes.retry();

        routes.assertOrder("order/7");
    }

    @Test
    void a_filter_is_seen() {
        TestedMessage small = send("filters");

        small.assertFiltered().assertAcknowledged();
        routes.assertNothingSent();
        fails(small::assertDelivered, "although the route sent nothing", "assertAcknowledged");
        send("nobody.reads").assertFiltered();
        fails(
                send("nobody.reads")::assertDelivered,
                "No route reads messages of type nobody.reads: ",
                "http reads http.*");
        routes.send(message("filters").payload("\"large\"")).assertDelivered();
    }

    @Test
    void a_repeat_is_recognized_also_after_a_failure() {
        TestMessage order = message("once");
        routes.answer(status(500), OK);

        TestedMessage first = routes.send(order);
        first.assertRetried();
        routes.retry();
        first.assertDelivered();
        TestedMessage again = routes.send(order);

        again.assertRepeat().assertAcknowledged();
        fails(again::assertDelivered, "was skipped by an idempotentConsumer as a repeat");
        fails(send("http.placed")::assertRepeat, "to be recognized as a repeat", "was delivered");
    }

    @Test
    void message_ids_of_an_earlier_test_are_cleared() {
        TestMessage order = message("once");
        routes.send(order).assertDelivered();

        routes.reset();

        routes.send(order).assertDelivered();
    }

    @Test
    void a_batch_is_one_request() {
        List<TestedMessage> sent = routes.sendAll(
                message("batches").payload("1"),
                message("batches").payload("2"),
                message("batches").payload("3"));

        sent.forEach(TestedMessage::assertDelivered);
        assertThat(routes.sentTo("partner")).extracting(Sent::text).containsExactly("[1,2,3]");
        assertThat(sent.get(0).http().text()).isEqualTo("[1,2,3]");
    }

    @Test
    void a_batch_is_halved_until_the_failing_message_is_alone() {
        routes.answer(status(400), status(400), status(400), OK);

        List<TestedMessage> sent = routes.sendAll(
                message("batches").payload("1"),
                message("batches").payload("2"),
                message("batches").payload("3"));

        sent.get(0).assertDead();
        sent.get(1).assertDelivered();
        sent.get(2).assertDelivered();
        assertThat(routes.sentTo("partner")).extracting(Sent::text).startsWith("[1,2,3]", "[1,2]", "[1]");
        fails(sent.get(0)::assertDelivered, "with a batch of 3 messages", "is a dead letter");
    }

    @Test
    void a_batch_for_kafka_is_one_record_for_each_message() {
        List<TestedMessage> sent = routes.sendAll(
                message("records").payload("1"),
                message("records").payload("2"),
                message("records").payload("3"));

        assertThat(sent)
                .allSatisfy(each -> assertThat(each.assertDelivered().kafka().header("id"))
                        .contains(each.id().toString()));
        assertThat(routes.sentTo("records")).extracting(Sent::text).containsExactly("1", "2", "3");
        assertThat(sent.get(0).sent()).hasSize(2);
    }

    @Test
    void each_part_of_a_split_is_recorded() {
        TestedMessage order = routes.send(message("parts").payload("{\"items\": [\"a\", \"b\"]}"));

        assertThat(order.assertDelivered().sent(KafkaSent.class))
                .extracting(Sent::text)
                .containsExactly("a", "b");
        fails(order::kafka, "Expected one Kafka record in the last attempt, but there were 2", "sent(KafkaSent.class)");
        routes.answer(OK, cut());
        routes.send(message("parts").payload("{\"items\": [\"a\", \"b\"]}")).assertUnavailable();
    }

    @Test
    void a_computed_address_is_recorded() {
        TestedMessage order = routes.send(message("computed").header("host", "eu.example.com"));

        assertThat(order.assertDelivered().http().url()).isEqualTo("http://eu.example.com/in");
    }

    @Test
    void a_recipient_list_is_recorded() {
        assertThat(send("many").assertDelivered().sent())
                .extracting(Sent::destination)
                .containsExactly("one", "two");
    }

    @Test
    void a_route_that_handles_failures_itself_is_seen() {
        routes.answer("partner", status(500));

        assertThat(send("tries").assertDelivered().kafka().topic()).isEqualTo("failed");
        send("handles").assertDead();
    }

    @Test
    void a_bean_of_the_test_is_used() {
        assertThat(send("beans").kafka().header("name")).contains("BEANS");
    }

    @Test
    void an_assertion_holds_for_all_routes_that_read_the_type_unless_one_is_selected() {
        routes.answer("partner", status(500));

        TestedMessage order = send("two");

        order.by("two-a").assertDelivered();
        order.by("two-b").assertRetried();
        fails(order::assertDelivered, "by route two-b is retried");
        fails(() -> order.by("http"), "No route http reads the message", "two-a reads two");
    }

    @Test
    void a_message_must_be_one_that_the_outbox_accepts() {
        assertThatThrownBy(() -> message("a").payload("{")).hasMessageContaining("payload(byte[])");
        assertThatThrownBy(() -> message("a").payload("")).hasMessageContaining("use null");
        assertThatThrownBy(() -> message("a").key("order-7")).hasMessageContaining("TYPE/ID");
        assertThatThrownBy(() -> routes.answer()).hasMessageContaining("at least one answer");
        assertThatThrownBy(routes::sendFromOutbox).hasMessageContaining("database");
        assertThatThrownBy(() -> RouteTest.of("routes/absent.camel.yaml")).hasMessageContaining("Could not find");
    }

    private static TestedMessage send(String type) {
        return routes.send(message(type).payload("{}"));
    }

    private static void fails(org.assertj.core.api.ThrowableAssert.ThrowingCallable assertion, String... texts) {
        assertThatThrownBy(assertion).isInstanceOf(AssertionError.class).hasMessageContainingAll(texts);
    }
}
