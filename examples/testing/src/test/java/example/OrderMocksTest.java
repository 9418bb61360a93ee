package example;

import static dev.caravan.test.TestMessage.message;

import dev.caravan.test.RouteTest;
import dev.caravan.test.RouteTestBuilder;
import dev.caravan.test.RouteTestSupport;
import dev.caravan.test.TestMessage;
import java.net.ConnectException;
import org.apache.camel.EndpointInject;
import org.apache.camel.builder.AdviceWith;
import org.apache.camel.component.mock.MockEndpoint;
import org.apache.camel.test.junit5.CamelContextConfiguration;
import org.junit.jupiter.api.Test;

class OrderMocksTest extends RouteTestSupport {
    private static final TestMessage PAID =
            message("order.paid").key("order/7").payload("{\"orderId\": 7, \"parcels\": 2}");

    @EndpointInject("mock:kafka:shipments")
    private MockEndpoint shipments;

    @Override
    protected RouteTestBuilder tested() {
        return RouteTest.of("routes/orders.camel.yaml")
                .property("partner.secrets", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    }

    @Override
    public void configureContext(CamelContextConfiguration configuration) {
        super.configureContext(configuration);
        configuration.withMockEndpoints("kafka:*");
    }

    @Test
    void the_warehouse_gets_the_order_with_its_key() throws Exception {
        shipments.expectedMessageCount(1);
        shipments.expectedHeaderReceived("aggregate-id", "7");

        routes.send(PAID).by("orders-to-warehouse").assertDelivered();

        shipments.assertIsSatisfied();
    }

    @Test
    void an_order_waits_while_the_partner_cannot_be_reached() throws Exception {
        AdviceWith.adviceWith(context, "order-webhook", route -> route.weaveByToUri("standard-webhook:*")
                .replace()
                .throwException(new ConnectException("connection refused")));

        routes.send(PAID).by("order-webhook").assertUnavailable();
    }
}
