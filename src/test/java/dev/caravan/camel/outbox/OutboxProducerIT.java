package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.camel.Exchange;
import org.apache.camel.builder.AggregationStrategies;
import org.apache.camel.builder.LambdaRouteBuilder;
import org.apache.camel.builder.NoErrorHandlerBuilder;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.model.dataformat.JsonLibrary;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OutboxProducerIT {
    private final DefaultCamelContext context = new DefaultCamelContext();
    private final TestOutbox outbox = TestOutbox.create();

    @BeforeEach
    void create() throws Exception {
        OutboxComponent component = new OutboxComponent();
        component.setLaneConnections(outbox.pool());
        context.getRegistry().bind("outbox", component);
    }

    @AfterEach
    void close() throws Exception {
        context.close();
    }

    @Test
    void a_step_appends_a_message_of_the_same_key_that_reaches_the_next_subscription() throws Exception {
        TestDestination invoices = new TestDestination();
        routes(routes -> {
            routes.from("outbox:orders?types=order.*")
                    .setBody(routes.constant("{\"invoice\": 1}"))
                    .to("outbox:make-invoice?type=invoice.requested");
            routes.from("outbox:invoices?types=invoice.*").process(invoices);
        });

        outbox.insert("77");

        eventually(() -> assertThat(invoices.arrivals()).hasSize(1));
        var invoice = invoices.arrivals().get(0);
        assertThat(invoice.type()).isEqualTo("invoice.requested");
        assertThat(invoice.body()).isEqualTo("{\"invoice\": 1}");
        assertThat(invoice.headers()).containsEntry("aggregate-type", "order").containsEntry("aggregate-id", "77");
    }

    @Test
    void the_appended_message_belongs_to_the_trace_of_the_first_and_has_no_other_header_of_it() throws Exception {
        TestDestination invoices = new TestDestination();
        routes(routes -> {
            routes.from("outbox:orders?types=order.*").to("outbox:make-invoice?type=invoice.requested");
            routes.from("outbox:invoices?types=invoice.*").process(invoices);
        });

        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, headers, payload) values"
                + " ('order', '77', 'order.created', '{\"traceparent\": \"00-a-b-01\", \"region\": \"north\"}', '{}')");

        eventually(() -> assertThat(invoices.arrivals()).hasSize(1));
        assertThat(invoices.arrivals().get(0).headers())
                .containsEntry("traceparent", "00-a-b-01")
                .doesNotContainKey("region");
    }

    @Test
    void a_step_appends_bytes_or_text_as_bytes_if_it_says_so() throws Exception {
        TestDestination copies = new TestDestination();
        routes(routes -> {
            routes.from("outbox:orders?types=order.*").to("outbox:copy?type=copy&binary=true");
            routes.from("outbox:copies?types=copy").process(copies);
        });
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, payload_bytes)"
                + " values ('order', '1', 'order.created', '\\x00ff')");
        eventually(() -> assertThat(copies.arrivals()).hasSize(1));
        outbox.insert("1", "order.created", "{\"city\": \"Köln\"}");
        eventually(() -> assertThat(copies.arrivals()).hasSize(2));

        assertThat(copies.arrivals())
                .extracting(TestDestination.Arrival::body)
                .containsExactly(new byte[] {0, -1}, "{\"city\": \"Köln\"}".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void a_value_of_json_is_appended_as_json() throws Exception {
        routes(routes -> {
            routes.from("outbox:texts?types=order.*")
                    .unmarshal()
                    .json(JsonLibrary.Jackson)
                    .to("outbox:text?type=x.text");
            routes.from("outbox:bytes?types=order.*")
                    .unmarshal()
                    .json(JsonLibrary.Jackson)
                    .to("outbox:as-bytes?type=x.bytes&binary=true");
        });
        List<String> payloads = List.of("{\"a\":{\"b\":true}}", "[\"101\",\"102\"]", "[\"1, 2\"]", "[]", "5", "false");
        for (String payload : payloads) {
            outbox.insert("77", "order.created", payload);
        }

        String appended = "select coalesce(string_agg(%s, ' ' order by id), '') from outbox where type = '%s'";
        eventually(() -> {
            assertThat(outbox.text(appended.formatted("payload::text", "x.text")))
                    .isEqualTo(String.join(" ", payloads));
            assertThat(outbox.text(appended.formatted("convert_from(payload_bytes, 'UTF8')", "x.bytes")))
                    .isEqualTo(String.join(" ", payloads));
        });
    }

    @Test
    void no_character_set_damages_what_is_appended() throws Exception {
        routes(routes -> {
            routes.from("outbox:orders?types=order.*")
                    .setProperty(Exchange.CHARSET_NAME, routes.constant("ISO-8859-1"))
                    .to("outbox:as-bytes?type=x.bytes&binary=true");
            routes.from("outbox:binary?types=binary").to("outbox:as-text?type=x.text");
        });
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, payload_bytes) values"
                + " ('order', '77', 'binary', '\\x22fc22'), ('order', '78', 'binary', '\\x22c5a022')");
        outbox.insert("77", "order.created", "\"\u0160\"");

        String appended = "select coalesce(string_agg(%s, ' ' order by id), '') from outbox where type = '%s'";
        eventually(() -> {
            assertThat(outbox.text(appended.formatted("convert_from(payload_bytes, 'UTF8')", "x.bytes")))
                    .isEqualTo("\"\u0160\"");
            assertThat(outbox.text(appended.formatted("payload::text", "x.text")))
                    .isEqualTo("\"\u0160\"");
            assertThat(outbox.dead("binary")).containsExactly(1L);
        });
    }

    @Test
    void a_repeat_appends_the_same_message_id_again() throws Exception {
        AtomicBoolean failOnce = new AtomicBoolean(true);
        TestDestination invoices = new TestDestination();
        routes(routes -> {
            routes.errorHandler(new NoErrorHandlerBuilder());
            routes.from("outbox:orders?types=order.*&backoff=1ms")
                    .to("outbox:make-invoice?type=invoice.requested")
                    .process(exchange -> {
                        if (failOnce.getAndSet(false)) {
                            throw new IllegalStateException("fails after the append");
                        }
                    });
            routes.from("outbox:invoices?types=invoice.*").process(invoices);
        });

        outbox.insert("77");

        eventually(() -> assertThat(invoices.arrivals()).hasSize(2));
        var first = invoices.arrivals().get(0);
        assertThat(invoices.arrivals().get(1).messageId()).isEqualTo(first.messageId());
        assertThat(first.id()).isNotEqualTo(invoices.arrivals().get(1).id());
    }

    @Test
    void two_steps_and_the_parts_of_a_split_append_messages_of_different_ids() throws Exception {
        routes(routes -> routes.from("outbox:orders?types=order.*")
                .to("outbox:one?type=x.one")
                .to("outbox:two?type=x.two")
                .split(routes.constant(java.util.List.of("1", "2")))
                .to("outbox:parts?type=x.part"));

        outbox.insert("77");

        eventually(() -> assertThat(outbox.number("select count(distinct message_id) from outbox"))
                .isEqualTo(5));
    }

    @Test
    void every_appended_message_has_an_id_of_its_own_and_keeps_it_on_a_repeat() throws Exception {
        AtomicBoolean failOnce = new AtomicBoolean(true);
        routes(routes -> {
            routes.errorHandler(new NoErrorHandlerBuilder());
            routes.from("direct:append").to("outbox:same?type=x.same");
            routes.from("outbox:orders?types=order.*&backoff=1ms")
                    .to("direct:append")
                    .to("direct:append")
                    .split(routes.constant(List.of(List.of("1", "2"), List.of("3", "4"))))
                    .parallelProcessing()
                    .split(routes.body(), AggregationStrategies.useLatest())
                    .to("direct:append")
                    .end()
                    .to("direct:append")
                    .end()
                    .multicast()
                    .parallelProcessing()
                    .to("direct:append", "direct:append", "outbox:other?type=x.other")
                    .end()
                    .recipientList(routes.constant("direct:append,direct:append"))
                    .end()
                    .loop(2)
                    .to("direct:append")
                    .end()
                    .routingSlip(routes.constant("direct:append,direct:append"))
                    .end()
                    .process(exchange -> {
                        if (failOnce.getAndSet(false)) {
                            throw new IllegalStateException("fails after all was appended");
                        }
                    });
        });

        outbox.insert("77");

        int appended = 2 + 4 + 2 + 3 + 2 + 2 + 2;
        eventually(() -> assertThat(outbox.jdbc()
                        .queryForList(
                                "select count(*) from outbox where type like 'x.%' group by message_id", Long.class))
                .hasSize(appended)
                .containsOnly(2L));
    }

    @Test
    void two_subscriptions_and_two_types_append_messages_of_different_ids() throws Exception {
        routes(routes -> {
            routes.from("outbox:customers?types=order.*")
                    .to("outbox:notify?type=notify.customer")
                    .to("outbox:notify?type=notify.shop");
            routes.from("outbox:shops?types=order.*").to("outbox:notify?type=notify.shop");
        });

        outbox.insert("77");

        eventually(() -> assertThat(
                        outbox.number("select count(distinct message_id) from outbox where type like 'notify.%'"))
                .isEqualTo(3));
    }

    /** A message that was appended before a relay is replaced by a later version is recognized after it. */
    @Test
    void the_ids_of_appended_messages_are_the_same_in_all_versions() throws Exception {
        routes(routes -> routes.from("outbox:orders?types=order.*")
                .to("outbox:one?type=x.one")
                .split(routes.constant(List.of("1", "2")))
                .to("outbox:parts?type=x.part"));

        outbox.insert("77");

        String id = outbox.text("select message_id::text from outbox where type = 'order.created'");
        eventually(() -> assertThat(outbox.jdbc()
                        .queryForList("select message_id from outbox where type like 'x.%' order by id", UUID.class))
                .extracting(UUID::toString)
                .containsExactly(
                        derived(id, "outbox:one x.one", ""),
                        derived(id, "outbox:parts x.part", "/1.0"),
                        derived(id, "outbox:parts x.part", "/1.1")));
    }

    private static String derived(String id, String step, String place) {
        String name = String.join("\n", id, "outbox://orders", "orders", step, place);
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
    }

    @Test
    void the_key_can_be_set_by_options() throws Exception {
        context.start();

        context.createProducerTemplate()
                .sendBodyAndHeaders(
                        "outbox:step?type=t&aggregateType=customer&aggregateId=9",
                        "{}",
                        Map.of("aggregate-type", "order", "aggregate-id", "77"));

        assertThat(outbox.jdbc().queryForMap("select aggregate_type, aggregate_id, type from outbox"))
                .containsEntry("aggregate_type", "customer")
                .containsEntry("aggregate_id", "9")
                .containsEntry("type", "t");
    }

    @Test
    void a_step_without_a_type_does_not_start() {
        assertThatThrownBy(() -> routes(routes -> routes.from("direct:in").to("outbox:step")))
                .hasStackTraceContaining("outbox:step needs the option type");
    }

    @Test
    void a_message_without_a_key_is_refused_with_the_option_to_set() {
        context.start();

        assertThatThrownBy(() -> context.createProducerTemplate().sendBody("outbox:step?type=t&aggregateType=a", "{}"))
                .hasRootCauseMessage(
                        "Could not append a message with outbox:step: set the option aggregateId or the header aggregate-id");
    }

    private void routes(LambdaRouteBuilder routes) throws Exception {
        RouteBuilder.addRoutes(context, routes);
        context.start();
    }
}
