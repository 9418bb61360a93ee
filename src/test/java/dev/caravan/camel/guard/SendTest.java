package dev.caravan.camel.guard;

import static dev.caravan.routes.destination.Answer.OK;
import static dev.caravan.routes.destination.Answer.status;
import static dev.caravan.test.TestMessage.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.routes.destination.Answer;
import dev.caravan.routes.destination.Sent;
import dev.caravan.test.RouteTest;
import dev.caravan.test.TestMessage;
import dev.caravan.test.TestedMessage;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.Expression;
import org.apache.camel.builder.AggregationStrategies;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.model.language.LanguageExpression;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The ids that receivers get: of two sends of a message they differ, and on the next attempt each send has its own again. */
class SendTest {
    private static final String PAYLOAD = """
            {"phone": "+15550100001", "driver": "+15550100002",
             "parts": [{"phone": "+15550100003"}, {"phone": "+15550100004"}, {"phone": "+15550100005"}]}""";
    private static final Pattern EVENT_ID = Pattern.compile("\"id\":\"([^\"]*)\"");

    @RegisterExtension
    static final RouteTest routes = RouteTest.of(new Routes())
            .property("camel.component.sms.url", "http://gateway.example.com/sms")
            .property("camel.component.sms.from", "+15005550006")
            .property("camel.component.email.server", "smtp://localhost")
            .property("camel.component.email.from", "shop@example.com")
            .property("camel.component.cloud-event.source", "https://shop.example.com")
            .build();

    private static final class Routes extends RouteBuilder {
        @Override
        public void configure() {
            from("outbox:customer-sms?types=booked").routeId("customer-sms").to(sms("phone"));
            from("outbox:driver-sms?types=booked").routeId("driver-sms").to(sms("phone"));
            from("outbox:steps?types=steps").routeId("steps").to(sms("phone"), sms("driver"), sms("driver"));
            from("outbox:split?types=split")
                    .routeId("split")
                    .split(parts())
                    .to("direct:all")
                    .end()
                    .split(parts())
                    .to("direct:all");
            from("outbox:multicast?types=multicast")
                    .routeId("multicast")
                    .multicast(AggregationStrategies.useOriginal())
                    .to("direct:all", "direct:all")
                    .end()
                    .to("direct:all");
            from("outbox:recipients?types=recipients")
                    .routeId("recipients")
                    .recipientList(constant("direct:all,direct:all"));
            from("direct:all")
                    .to(sms("phone"), mail(), webhook("hooks"))
                    .setBody(constant("{}"))
                    .to("cloud-event:structured", "http://gateway.example.com/events");
            from("outbox:once?types=once")
                    .routeId("once")
                    .split(parts())
                    .idempotentConsumer(simple("${header.id}/${exchangeProperty.CamelSplitIndex}"))
                    .idempotentRepository("messageIds")
                    .eager(false)
                    .to(sms("phone"))
                    .end()
                    .end()
                    .split(parts())
                    .to(sms("phone"));
            from("outbox:caught?types=caught")
                    .routeId("caught")
                    .doTry()
                    .to(sms("phone"))
                    .doCatch(Exception.class)
                    .to(sms("phone").replace("Hello", "Sorry"))
                    .end()
                    .to("http://gateway.example.com/events");
            from("outbox:events?types=events")
                    .routeId("events")
                    .to(webhook("one"), webhook("two"), webhook("one"))
                    .to("cloud-event:structured", "http://gateway.example.com/events")
                    .setBody(constant("{}"))
                    .to("cloud-event:structured", "http://gateway.example.com/events");
            from("outbox:batches?types=batches&batching=true")
                    .routeId("batches")
                    .split(body())
                    .to(sms("phone"), webhook("one"))
                    .end()
                    .split(body())
                    .to(sms("phone"));
        }

        private static Expression parts() {
            return new LanguageExpression("payload", "parts");
        }

        private static String sms(String to) {
            return "sms:gateway?to=RAW(${" + to + "})&text=RAW(Hello)";
        }

        private static String mail() {
            return "email:guest?to=RAW(guest@example.com)&subject=RAW(Hello)&text=RAW(Hello)";
        }

        private static String webhook(String path) {
            return "standard-webhook:" + path + "?url=RAW(https://partner.example.com/" + path
                    + ")&secrets=RAW(whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw)";
        }
    }

    @Test
    void two_subscriptions_send_with_different_keys() {
        TestedMessage booked = send("booked");

        assertThat(keys())
                .hasSize(2)
                .doesNotHaveDuplicates()
                .allMatch(key -> key.matches(booked.id() + "-[0-9a-f]{12}"));
    }

    @Test
    void two_steps_of_a_route_send_with_different_keys() {
        send("steps").assertDelivered();

        assertThat(keys()).hasSize(3).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @CsvSource({"split, 6", "multicast, 3", "recipients, 2"})
    void each_part_has_ids_of_its_own_which_it_has_again_on_the_next_attempt(String type, int sends) {
        Answer[] answers = Collections.nCopies(sends + 1, OK).toArray(Answer[]::new);
        answers[sends - 1] = status(500);
        routes.answer("/events", answers);

        TestedMessage message = send(type).assertRetried();
        List<List<String>> first = List.of(keys(), mailIds(), webhookIds(), eventIds());
        assertThat(first).allSatisfy(ids -> assertThat(ids)
                .hasSize(sends)
                .doesNotHaveDuplicates()
                .allMatch(id -> id.startsWith(message.id().toString())));

        routes.retry();

        message.assertDelivered();
        assertThat(List.of(keys(), mailIds(), webhookIds(), eventIds()))
                .isEqualTo(first.stream().map(ids -> concat(ids, ids)).toList());
    }

    /** Otherwise the second split would use the ids of the first one, whose parts are not repeated. */
    @Test
    void parts_have_the_same_ids_when_earlier_ones_are_skipped_as_repeats() {
        routes.answer("/sms", OK, OK, OK, OK, status(500), OK);

        TestedMessage message = send("once").assertRetried();
        List<String> first = keys();
        routes.retry();

        message.assertDelivered();
        assertThat(first).hasSize(6).doesNotHaveDuplicates();
        assertThat(keys()).isEqualTo(concat(first, first.subList(3, 6)));
    }

    /** Otherwise the receiver would drop the other text, which it has not received, as a repeat. */
    @Test
    void a_text_does_not_get_the_key_of_another_one_that_was_sent_instead() {
        routes.answer("/sms", status(400), OK);
        routes.answer("/events", status(500), OK);

        TestedMessage message = send("caught").assertRetried();
        routes.retry();

        message.assertDelivered();
        assertThat(keys()).hasSize(3);
        assertThat(keys().get(2)).isEqualTo(keys().get(0)).isNotEqualTo(keys().get(1));
    }

    @Test
    void an_event_has_the_message_id_at_each_receiver_and_further_sends_to_it_have_others() {
        String id = send("events").assertDelivered().id().toString();

        assertThat(webhookIds())
                .hasSize(3)
                .startsWith(id, id)
                .filteredOn(id::equals)
                .hasSize(2);
        assertThat(eventIds()).hasSize(2).startsWith(id).doesNotHaveDuplicates();
    }

    @Test
    void a_message_has_the_same_ids_in_every_batch() {
        TestMessage one = message("batches").payload(PAYLOAD);
        TestMessage two = message("batches").payload(PAYLOAD);
        routes.sendAll(one, two);
        List<String> both = keys();
        List<String> ids = webhookIds();
        routes.send(two);

        assertThat(both).hasSize(4).doesNotHaveDuplicates();
        assertThat(keys()).isEqualTo(concat(both, List.of(both.get(1), both.get(3))));
        assertThat(ids).hasSize(2).allMatch(id -> id.length() == 36);
        assertThat(webhookIds()).isEqualTo(concat(ids, ids.subList(1, 2)));
    }

    private static TestedMessage send(String type) {
        return routes.send(message(type).payload(PAYLOAD));
    }

    private static List<String> keys() {
        return header("/sms", "Idempotency-Key");
    }

    private static List<String> mailIds() {
        return header("guest@example.com", "Message-ID").stream()
                .map(id -> id.replaceAll("[<>]|@.*", ""))
                .toList();
    }

    private static List<String> webhookIds() {
        return header("partner.example.com", "webhook-id");
    }

    private static List<String> eventIds() {
        return routes.sentTo("/events").stream().map(SendTest::eventId).toList();
    }

    private static String eventId(Sent event) {
        Matcher id = EVENT_ID.matcher(event.text());
        assertThat(id.find()).isTrue();
        return id.group(1);
    }

    private static List<String> header(String destination, String name) {
        return routes.sentTo(destination).stream()
                .map(each -> each.header(name).orElseThrow())
                .toList();
    }

    private static List<String> concat(List<String> one, List<String> other) {
        return Stream.concat(one.stream(), other.stream()).toList();
    }
}
