package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.guard.Part;
import javax.sql.DataSource;
import org.apache.camel.Exchange;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The log, the health and the traces have the reason of a failure, and need no right to see messages. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ComputedAddressesIT {
    private static final String SLUG = "annahuber1971";
    private static final String COMPUTED = "http://${header.slug}.shop.invalid/orders";

    private final TestOutbox outbox = TestOutbox.create();
    private final DefaultCamelContext camel = new DefaultCamelContext();

    @BeforeAll
    void start() throws Exception {
        camel.getRegistry().bind("dataSource", DataSource.class, outbox.unpooled());
        camel.getPropertiesComponent().addInitialProperty("shop.host", "shop.invalid");
        ShippedPolicy.load(camel);
        camel.addRoutes(new RouteBuilder() {
            @Override
            public void configure() {
                from("direct:host").to("http://shop.invalid/orders");
                from("direct:path").toD("http://shop.invalid/orders/${header.slug}");
                from("direct:query").toD("http://shop.invalid:81/orders?customer=${header.slug}");
                from("direct:constants").recipientList(constant("http://shop.invalid/a,http://shop.invalid/b"));
                from("direct:setting")
                        .to("http://{{shop.host}}/orders?authMethod=Basic&authUsername=a&authPassword=RAW(a+b)");
                from("direct:rest").to("rest:post:orders/{slug}?host=http://shop.invalid");
                from("direct:hook")
                        .to(
                                "standard-webhook:shop?url=https://shop.invalid/h&secrets=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
                from("direct:sms")
                        .to("sms:gw?url=http://shop.invalid/sms&from=RAW(+15005550006)&to=RAW(+15005550006)&text=t");
                from("direct:email")
                        .to(
                                "email:shop?server=smtp://shop.invalid:25&from=a@b.example&to=c@d.example&subject=s&text=t");
                from("direct:kafka").to("kafka:orders?brokers=localhost:1&additionalProperties.max.block.ms=300");
                from("direct:override")
                        .setHeader("CamelKafkaOverrideTopic", simple("orders-${header.slug}"))
                        .to("kafka:orders?brokers=localhost:1&additionalProperties.max.block.ms=300");
                from("direct:statement").to("sql:insert into orders (id) values (:#slug)");
                from("direct:column").to("sql:select missing from outbox where aggregate_id = :#slug");

                from("direct:toD").toD(COMPUTED);
                from("direct:list").recipientList(simple(COMPUTED));
                from("direct:slip").routingSlip(simple(COMPUTED));
                from("direct:enrich").enrich().simple(COMPUTED);
                from("direct:split").split(body()).toD(COMPUTED);
                from("direct:multicast").multicast().to("direct:toD").end();
                from("direct:caught")
                        .doTry()
                        .toD(COMPUTED)
                        .doCatch(Exception.class)
                        .throwException(new IllegalStateException("again"))
                        .end();
                from("direct:uri").setHeader("CamelHttpUri", simple(COMPUTED)).to("http://other.invalid");
                from("direct:port").toD("http://${header.slug}:8080/orders");
                from("direct:webhook")
                        .toD(
                                "standard-webhook:shop?allowPrivateAddresses=true&url=https://${header.slug}.shop.invalid/h"
                                        + "&secrets=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
                from("direct:mail").toD("smtp://mail.${header.slug}.invalid:25?to=x@y.example&from=a@b.example");
                from("direct:topic").toD("kafka:orders-${header.slug}?brokers=none.invalid:9092&maxBlockMs=500");
                from("direct:table").toD("sql:insert into orders_${header.slug} (id) values (1)");
                from("direct:schema").toD("sql:insert into ${header.slug}.orders (id) values (1)");
                from("direct:role").to("sql:select has_table_privilege(:#slug, 'outbox', 'select')");
                from("direct:relation").to("sql:select cast(:#slug as regclass)");
                from("direct:file").to("sql:select pg_read_file(:#slug)");
            }
        });
        camel.start();
    }

    @AfterAll
    void stop() throws Exception {
        camel.close();
    }

    private String reason(String route) {
        Exchange exchange = camel.createProducerTemplate().send("direct:" + route, sent -> {
            Part.begin(sent, "", false);
            sent.getMessage().setHeader("slug", SLUG);
            sent.getMessage().setHeader("id", "550e8400-e29b-41d4-a716-446655440000");
            sent.getMessage().setHeader("created-at", "2026-01-01T00:00:00Z");
            sent.getMessage().setBody("a");
        });
        return AttemptResult.of(Part.of(exchange).fault(exchange), null, SettingSecrets.of(exchange.getContext()), true)
                .failure()
                .reason();
    }

    @ParameterizedTest
    @CsvSource({
        "host, shop.invalid",
        "path, shop.invalid",
        "query, shop.invalid",
        "constants, shop.invalid",
        "setting, shop.invalid",
        "rest, shop.invalid",
        "hook, shop.invalid",
        "sms, shop.invalid",
        "email, shop.invalid",
        "kafka, Topic orders not present",
        "statement, relation \"orders\" does not exist",
        "column, column \"missing\" does not exist",
    })
    void what_the_route_writes_is_shown(String route, String text) {
        assertThat(reason(route))
                .as(route)
                .contains("Exception (")
                .contains(text)
                .doesNotContain(SLUG);
    }

    @ParameterizedTest
    @CsvSource({
        "toD, UnknownHostException (the route computes the address of http)",
        "list, UnknownHostException (the route computes the address of http)",
        "slip, UnknownHostException (the route computes the address of http)",
        "enrich, UnknownHostException (the route computes the address of http)",
        "split, UnknownHostException (the route computes the address of http)",
        "multicast, UnknownHostException (the route computes the address of http)",
        "uri, UnknownHostException (the route computes the address of http)",
        "port, UnknownHostException (the route computes the address of http)",
        "webhook, UnknownHostException (the route computes the address of standard-webhook)",
        "mail, UnknownHostException (the route computes the address of smtp)",
        "override, TimeoutException (the route computes the address of kafka)",
        "table, PSQLException (SQLSTATE 42P01)",
        "schema, PSQLException (SQLSTATE 42P01)",
        "role, PSQLException (SQLSTATE 42704)",
        "relation, PSQLException (SQLSTATE 42P01)",
        "file, PSQLException (SQLSTATE 58P01)",
    })
    void what_a_message_gives_is_not_shown(String route, String reason) {
        assertThat(reason(route)).startsWith(reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"caught", "topic"})
    void no_reason_has_a_value_of_the_message(String route) {
        assertThat(reason(route)).isNotEmpty().doesNotContain(SLUG);
    }
}
