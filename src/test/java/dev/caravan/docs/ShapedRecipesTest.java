package dev.caravan.docs;

import static dev.caravan.test.TestMessage.message;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.routes.destination.MailSent;
import dev.caravan.routes.destination.SqlSent;
import dev.caravan.test.RouteTest;
import dev.caravan.test.TestMessage;
import dev.caravan.test.TestedMessage;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The recipes with lists and sums, tested as teams test their routes. */
class ShapedRecipesTest {
    private static final String PAYLOAD = """
            {"orderId": 7, "language": "de", "currency": "EUR",
             "customer": {"name": "Zoë <b>&", "email": "zoe@example.com", "phone": "+15005550001", "address": {"country": "DE"}},
             "items": [{"sku": "P-1", "article": "Stift <1>", "quantity": 3, "price": 0.10},
                       {"sku": "I-2", "article": "Tinte", "quantity": 1, "price": 19.90}]}""";

    @TempDir
    private static Path folder;

    private static RouteTest routes;

    @BeforeAll
    static void start() throws Exception {
        for (String recipe : List.of("order-mail", "shape-json")) {
            DocsPage page = DocsPage.read("docs/recipes/" + recipe + ".md");
            Files.writeString(folder.resolve(recipe + ".camel.yaml"), String.join("\n", page.blocks("yaml")));
            Files.writeString(folder.resolve(recipe + ".properties"), String.join("\n", page.blocks("properties")));
            page.writeTemplates(folder);
        }
        routes = RouteTest.of(folder.toString()).build();
    }

    @AfterAll
    static void stop() {
        routes.close();
    }

    private static TestMessage order(String payload) {
        return message("order.placed").key("order/7").payload(payload);
    }

    @Test
    void an_order_mail_has_its_lines_in_the_language_of_the_customer() {
        TestedMessage german = routes.send(order(PAYLOAD)).by("order-mail").assertDelivered();
        TestedMessage english = routes.send(order(PAYLOAD.replace("\"de\"", "\"fr\"")))
                .by("order-mail")
                .assertDelivered();

        assertThat(german.mail().header("Subject")).contains("Ihre Bestellung 7");
        assertThat(german.mail().recipients()).containsExactly("zoe@example.com");
        assertThat(html(german))
                .contains("Guten Tag Zoë &lt;b&gt;&amp;, Sie haben bestellt:")
                .contains(
                        "<tr><td>3 × Stift &lt;1&gt;</td><td>0.30 EUR</td></tr>\n<tr><td>1 × Tinte</td><td>19.90 EUR</td></tr>")
                .contains("<td>20.20 EUR</td>");
        assertThat(english.mail().header("Subject")).contains("Your order 7");
        assertThat(html(english)).contains("Hello Zoë").doesNotContain("Guten Tag");
    }

    private static String html(TestedMessage sent) {
        MailSent mail = sent.mail();
        return mail.parts().get(mail.parts().size() - 1).content().text().replace("\r\n", "\n");
    }

    @Test
    void an_sms_has_the_lines_too() {
        TestedMessage sms = routes.send(order(PAYLOAD)).by("order-sms").assertDelivered();

        assertThat(URLDecoder.decode(sms.http().text(), StandardCharsets.UTF_8))
                .endsWith("Body=Ihre Bestellung 7: 3 × Stift <1>, 1 × Tinte. Summe 20.20 EUR");
    }

    @Test
    void an_order_without_lines_is_a_dead_letter_that_names_them() {
        routes.send(
                        order(
                                "{\"orderId\": 7, \"customer\": {\"email\": \"a@example.com\", \"name\": \"A\", \"phone\": \"+15005550001\"}}"))
                .by("order-mail")
                .assertDead()
                .assertReason("The field items of the payload is missing");
    }

    @Test
    void json_is_reshaped_with_an_exact_sum_and_without_personal_data() throws Exception {
        TestedMessage sent = routes.send(order(PAYLOAD)).by("order-summaries").assertDelivered();

        String json = sent.kafka().text();
        assertThat(json).contains("\"total\": 20.20,").doesNotContain("Zoë", "zoe@", "+1500");
        var read = new ObjectMapper().readTree(json);
        assertThat(read.at("/order/number").intValue()).isEqualTo(7);
        assertThat(read.get("large").booleanValue()).isFalse();
        assertThat(read.get("lines")).hasSize(2);
        assertThat(read.at("/lines/1/article").asText()).isEqualTo("I-2");
    }

    @Test
    void each_item_becomes_a_message_whose_id_stays_the_same_in_a_repeat() {
        TestMessage order = order(PAYLOAD);
        List<String> first = appended(routes.send(order).by("order-items").assertDelivered());
        List<String> again = appended(routes.send(order).by("order-items").assertDelivered());

        assertThat(first).hasSize(2).isEqualTo(again);
        assertThat(first.get(0)).contains("{\"orderId\": 7, \"sku\": \"P-1\", \"quantity\": 3, \"price\": 0.10}");
    }

    private static List<String> appended(TestedMessage sent) {
        return sent.sent(SqlSent.class).stream().map(SqlSent::toString).toList();
    }
}
