package dev.caravan.test;

import static dev.caravan.routes.destination.Answer.OK;
import static dev.caravan.routes.destination.Answer.status;
import static dev.caravan.test.TestMessage.message;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.ConnectException;
import org.apache.camel.EndpointInject;
import org.apache.camel.builder.AdviceWith;
import org.apache.camel.component.mock.MockEndpoint;
import org.apache.camel.test.junit5.CamelContextConfiguration;
import org.junit.jupiter.api.Test;

/** The shipped routes tested in the style of Camel: with mocks, advice and templates. */
class RouteTestSupportTest extends RouteTestSupport {
    private static final TestMessage ORDER = message("order.placed")
            .key("order/7")
            .payload("{\"bookingId\": \"B-1\", \"seats\": 2, \"price\": \"84.50\", \"currency\": \"EUR\","
                    + " \"customer\": {\"name\": \"Zoë\", \"email\": \"zoe@example.com\"}}");

    @EndpointInject("mock:kafka:orders")
    private MockEndpoint orders;

    @Override
    protected RouteTestBuilder tested() {
        return RouteTest.of("routes");
    }

    @Override
    public void configureContext(CamelContextConfiguration configuration) {
        super.configureContext(configuration);
        configuration.withMockEndpoints("kafka:orders");
    }

    @Test
    void a_mock_sees_what_a_route_sends() throws Exception {
        orders.expectedMessageCount(1);
        orders.expectedHeaderReceived("type", "order.placed");
        orders.expectedHeaderReceived("aggregate-id", "7");

        TestedMessage order = routes.send(ORDER).assertDelivered();

        orders.assertIsSatisfied();
        assertThat(order.by("orders-to-kafka").kafka().topic()).isEqualTo("orders");
    }

    @Test
    void a_mock_that_fails_is_a_failure_of_its_step() throws Exception {
        orders.whenAnyExchangeReceived(exchange -> {
            throw new ConnectException("no broker");
        });

        routes.send(ORDER).by("orders-to-kafka").assertUnavailable().assertReason("no broker");
    }

    @Test
    void an_advised_step_is_replaced_and_the_outcome_is_that_of_a_relay() throws Exception {
        AdviceWith.adviceWith(context, "customer-email", route -> route.weaveById("to-mail-server")
                .replace()
                .throwException(new ConnectException("no mail server")));

        TestedMessage order = routes.send(ORDER);

        order.by("customer-email").assertUnavailable().assertReason("no mail server");
        order.by("orders-to-kafka").assertDelivered();
    }

    @Test
    void an_endpoint_that_an_advice_adds_is_replaced_too() throws Exception {
        AdviceWith.adviceWith(context, "customer-email", route -> route.weaveById("to-mail-server")
                .replace()
                .to("https://mail.example.com/send"));
        routes.answer("mail.example.com", status(500), OK);

        TestedMessage order = routes.send(ORDER).by("customer-email").assertRetried();
        routes.retry();

        order.assertDelivered();
        assertThat(order.http().url()).isEqualTo("https://mail.example.com/send");
    }

    @Test
    void an_advice_mocks_endpoints_which_are_still_recorded() throws Exception {
        AdviceWith.adviceWith(context, "orders-to-kafka", route -> route.mockEndpoints("kafka:bookings"));
        MockEndpoint bookings = getMockEndpoint("mock:kafka:bookings");
        bookings.expectedMessageCount(1);

        TestedMessage booking =
                routes.send(message("booking.requested").key("booking/7")).assertDelivered();

        bookings.assertIsSatisfied();
        assertThat(booking.kafka().topic()).isEqualTo("bookings");
    }

    @Test
    void an_advice_mocks_and_skips_endpoints() throws Exception {
        AdviceWith.adviceWith(context, "orders-to-kafka", route -> route.mockEndpointsAndSkip("kafka:bookings"));
        MockEndpoint bookings = getMockEndpoint("mock:kafka:bookings");
        bookings.expectedMessageCount(1);

        routes.send(message("booking.requested").key("booking/7")).assertAcknowledged();

        bookings.assertIsSatisfied();
        assertThat(routes.sentTo("bookings")).isEmpty();
    }

    @Test
    void a_template_sends_to_any_endpoint_of_the_context() {
        template.sendBody("kafka:orders", "{}");

        assertThat(orders.getReceivedCounter()).isEqualTo(1);
    }
}
