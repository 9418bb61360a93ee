package example;

import static dev.caravan.test.TestMessage.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.test.RouteTest;
import dev.caravan.test.TestMessage;
import dev.caravan.test.TestedMessage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OrderMailTest {
    @RegisterExtension
    static final RouteTest routes = RouteTest.of("routes/order-mail.camel.yaml")
            .property("partner.secrets", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") // of the other file in the folder
            .build();

    private static final TestMessage PLACED =
            message("order.placed").key("order/7").payload("""
            {"orderId": 7, "customer": {"email": "ada@example.com"},
             "items": [{"article": "pen <1>", "quantity": 3, "price": 0.10}, {"article": "ink", "quantity": 1, "price": 19.90}]}
            """);

    @Test
    void the_mail_has_each_line_and_their_sum() {
        TestedMessage order = routes.send(PLACED).assertDelivered();

        assertThat(order.mail().recipients()).containsExactly("ada@example.com");
        assertThat(order.mail().parts().get(0).content().text())
                .contains("<li>3 × pen &lt;1&gt;: 0.30 EUR</li>")
                .contains("Total: 20.20 EUR");
    }

    @Test
    void an_order_without_lines_is_a_dead_letter_that_names_them() {
        routes.send(PLACED.payload("{\"orderId\": 7, \"customer\": {\"email\": \"ada@example.com\"}}"))
                .assertDead()
                .assertReason("The field items of the payload is missing");
    }
}
