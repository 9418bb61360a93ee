package example;

import static dev.caravan.routes.destination.Answer.OK;
import static dev.caravan.routes.destination.Answer.status;
import static dev.caravan.routes.destination.Answer.timeout;
import static dev.caravan.test.TestMessage.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.routes.destination.HttpSent;
import dev.caravan.test.RouteTest;
import dev.caravan.test.TestMessage;
import dev.caravan.test.TestedMessage;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OrderRoutesTest {
    @RegisterExtension
    static final RouteTest routes = RouteTest.of("routes/orders.camel.yaml")
            .property("partner.secrets", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
            .build();

    private static final TestMessage PLACED = message("order.placed")
            .key("order/7")
            .payload("{\"orderId\": 7, \"customer\": {\"phone\": \"+15005550001\"}}");
    private static final TestMessage PAID =
            message("order.paid").key("order/7").payload("{\"orderId\": 7, \"parcels\": 2}");

    @Test
    void a_paid_order_goes_to_the_warehouse() {
        TestedMessage order = routes.send(PAID).by("orders-to-warehouse").assertDelivered();

        assertThat(order.kafka().topic()).isEqualTo("shipments");
        assertThat(order.kafka().key().orElseThrow().text()).isEqualTo("7");
    }

    @Test
    void an_order_without_goods_is_left_out() {
        routes.send(PAID.payload("{\"orderId\": 7, \"parcels\": 0}"))
                .by("orders-to-warehouse")
                .assertFiltered();
    }

    @Test
    void an_order_without_the_number_of_parcels_is_a_dead_letter_that_names_the_field() {
        routes.send(PAID.payload("{\"orderId\": 7}"))
                .by("orders-to-warehouse")
                .assertDead()
                .assertReason("parcels");
    }

    @Test
    void the_partner_gets_the_same_id_at_each_attempt() {
        routes.answer("partner.example.com", status(500), OK);

        TestedMessage order = routes.send(PAID).by("order-webhook").assertRetried();
        routes.retry();

        order.assertDelivered();
        assertThat(order.sent(HttpSent.class)).hasSize(2).allSatisfy(request -> assertThat(request.header("webhook-id"))
                .contains(order.id().toString()));
    }

    @Test
    void a_partner_that_asks_for_a_pause_gets_it() {
        routes.answer("partner.example.com", status(429).withRetryAfter(Duration.ofSeconds(30)), OK);

        TestedMessage order = routes.send(PAID).by("order-webhook").assertUnavailable();

        assertThat(order.retryAfter()).isEqualTo(Duration.ofSeconds(30));
        routes.retry();
        order.assertDelivered();
    }

    @Test
    void the_partner_hears_of_an_order_in_the_order_of_its_events() {
        routes.answer("partner.example.com", status(500), OK);

        var orders = routes.sendAll(PLACED, PAID);

        orders.get(1).by("order-webhook").assertBlocked();
        routes.retryToTheEnd();
        routes.assertOrder("order/7");
    }

    @Test
    void a_customer_gets_one_sms_although_the_message_is_delivered_again() {
        routes.answer("sms.example.com", timeout(), OK);

        TestedMessage order = routes.send(PLACED).by("order-sms").assertRetried(); // it may have arrived
        routes.retry();
        order.assertDelivered();
        assertThat(order.http().text()).contains("Thank+you+for+your+order+7.");

        routes.send(PLACED).by("order-sms").assertRepeat();
    }
}
