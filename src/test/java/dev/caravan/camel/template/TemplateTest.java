package dev.caravan.camel.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.camel.FieldException;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.camel.Exchange;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.DefaultExchange;
import org.apache.camel.support.DefaultMessage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TemplateTest {
    private static final String ORDER = """
            {"id": 7, "customer": {"name": "Zoë <b>\\"O'Hara\\"</b> & ${id}\\r\\nBcc: all {{x}} 🚀", "vip": true, "note": null},
             "total": 184.50, "big": 12345678901234567890.10, "items": [{"sku": "a-1"}, {"sku": "b 2"}], "unit price": "3"}""";

    private final DefaultCamelContext camel = new DefaultCamelContext();

    private Exchange exchange(Object body) {
        Exchange exchange = new DefaultExchange(camel);
        exchange.getMessage().setBody(body);
        exchange.getMessage().setHeader("type", "order.placed");
        exchange.setVariable("greeting", "Hello");
        return exchange;
    }

    private String filled(String template, Format format) {
        return Template.parse(template, format).text(exchange(ORDER));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "${id} | 7",
                "${ id } | 7",
                "${total} EUR | 184.50 EUR",
                "${big} | 12345678901234567890.10",
                "${$.total} | 184.50",
                "${customer.vip} | true",
                "${items[1].sku} | b 2",
                "${items[1]} | {\"sku\":\"b 2\"}",
                "${['unit price']} | 3",
                "${customer.title:Dear} | Dear",
                "${customer.note:none} | none",
                "${customer.title:a:b c} | a:b c",
                "${header.type} ${variable.greeting} | order.placed Hello",
                "${id * total} ${id * id > 49} ${total >= 184.5} | 1291.50 false true",
                "\\${id} costs 3 $ or $5 | ${id} costs 3 $ or $5"
            })
    void values_of_a_message_are_written_into_text(String template, String text) {
        assertThat(filled(template, Format.TEXT)).isEqualTo(text);
    }

    @Test
    void a_value_is_never_read_as_a_template() {
        assertThat(filled("${customer.name}", Format.TEXT)).contains("${id}").contains("{{x}}");
    }

    @Test
    void values_are_escaped_in_html() {
        assertThat(filled("<p title=\"${customer.name}\">", Format.HTML))
                .isEqualTo(
                        "<p title=\"Zoë &lt;b&gt;&quot;O&#39;Hara&quot;&lt;/b&gt; &amp; ${id}\r\nBcc: all {{x}} 🚀\">");
    }

    /** Slack decodes these three only (Formatting text for app surfaces, Escaping text). */
    @Test
    void a_value_notifies_nobody_in_slack() {
        Exchange exchange = exchange("{\"name\": \"<!channel> & 'a'\", \"list\": [\"<@U1>\", 1]}");
        String name = "&lt;!channel&gt; &amp; 'a'";

        assertThat(Template.parse(
                                "{\"text\": \"<!here> & ${name}\", \"name\": ${name}, \"list\": ${list}}", Format.SLACK)
                        .text(exchange))
                .isEqualTo("{\"text\": \"<!here> & " + name + "\", \"name\": \"" + name
                        + "\", \"list\": [\"&lt;@U1&gt;\",1]}");
        assertThat(Template.parse("{\"text\": \"{{name}}\", \"name\": {{name}} }", Format.SLACK, "a.mustache")
                        .text(exchange))
                .isEqualTo("{\"text\": \"" + name + "\", \"name\": \"" + name + "\" }");
    }

    /** Each apostrophe becomes five characters: 16 MB of them would fill the memory of a relay. */
    @Test
    void a_value_that_becomes_much_longer_is_refused() {
        Template template = Template.parse("<p>${name}</p>", Format.HTML);

        assertThat(template.text(exchange("{\"name\": \"" + "'".repeat(1_000_000) + "\"}")))
                .hasSize(5_000_007)
                .endsWith("&#39;</p>");
        assertThatThrownBy(() -> template.text(exchange("{\"name\": \"" + "'".repeat(1_100_000) + "\"}")))
                .isInstanceOf(FieldException.class)
                .hasMessageContaining("longer when it is escaped");
    }

    @Test
    void values_in_json_keep_their_types_and_strings_are_escaped() throws Exception {
        String json = filled(
                "{\"text\": \"Dear ${customer.name}\", \"total\": ${total}, \"vip\": ${customer.vip}, \"note\": ${customer.note},"
                        + " \"items\": ${items}, \"name\": ${customer.name}, \"as text\": \"${total}\", \"all\": ${body},"
                        + " \"type\": ${header.type}}",
                Format.JSON);

        var read = new ObjectMapper().readTree(json);
        var order = new ObjectMapper().readTree(ORDER);
        assertThat(json).contains("\"total\": 184.50,");
        assertThat(read.get("text").asText())
                .isEqualTo("Dear " + order.get("customer").get("name").asText());
        assertThat(read.get("vip")).isEqualTo(order.get("customer").get("vip"));
        assertThat(read.get("note").isNull()).isTrue();
        assertThat(read.get("items")).isEqualTo(order.get("items"));
        assertThat(read.get("name")).isEqualTo(order.get("customer").get("name"));
        assertThat(read.get("as text").asText()).isEqualTo("184.50");
        assertThat(read.get("all")).isEqualTo(order);
        assertThat(read.get("type").asText()).isEqualTo("order.placed");
    }

    @Property
    void any_text_survives_json(@ForAll String text) throws Exception {
        String body = new ObjectMapper().writeValueAsString(java.util.Map.of("a", text));

        String json = Template.parse("{\"x\\\\\\\"\": \"${a}\", \"y\": ${a}}", Format.JSON)
                .text(exchange(body));

        assertThat(new ObjectMapper().readTree(json).get("y").asText()).isEqualTo(text);
        assertThat(new ObjectMapper().readTree(json).get("x\\\"").asText()).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "${customer.phone} | The field customer.phone of the payload is missing",
                "${items[2].sku} | The field items[2].sku of the payload is missing",
                "${customer.note} | The field customer.note of the payload is null",
                "${header.Shop} | The header Shop is missing",
                "${variable.x} | The variable x is missing"
            })
    void a_missing_value_is_named(String template, String error) {
        assertThatThrownBy(() -> filled(template, Format.TEXT))
                .isInstanceOf(FieldException.class)
                .hasMessage(error);
    }

    @Test
    void a_body_that_is_not_json_is_named_without_its_content() {
        Template template = Template.parse("${a}", Format.TEXT);
        assertThatThrownBy(() -> template.text(exchange("secret")))
                .isInstanceOf(FieldException.class)
                .hasMessageContaining("The payload is not JSON")
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> template.text(exchange(null))).hasMessage("The field a of the payload is missing");
        assertThatThrownBy(() -> template.text(exchange(new byte[] {0, -1, 7}))).isInstanceOf(FieldException.class);
    }

    @Test
    void bytes_and_maps_are_read_too() {
        Template template = Template.parse("${a}", Format.TEXT);
        assertThat(template.text(exchange("{\"a\": \"ü\"}".getBytes(StandardCharsets.UTF_8))))
                .isEqualTo("ü");
        assertThat(template.text(exchange(java.util.Map.of("a", 1)))).isEqualTo("1");
    }

    @Test
    void a_batch_is_no_payload() {
        Template template = Template.parse("${a}", Format.TEXT);
        assertThatThrownBy(() -> template.text(exchange(java.util.List.of(new DefaultMessage(camel)))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Put the step into a split");
    }

    @Test
    void headers_can_be_used_without_json() {
        assertThat(Template.parse("${header.type}", Format.TEXT).text(exchange("not json")))
                .isEqualTo("order.placed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "${a",
                "${}",
                "${ }",
                "${:x}",
                "${a..b}",
                "${a b}",
                "${a[x]}",
                "${jsonpath($.a)}",
                "${exchangeProperty.x}"
            })
    void a_wrong_placeholder_is_refused_with_its_line(String wrong) {
        assertThatThrownBy(() -> Template.parse("first\n\n" + wrong, Format.TEXT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("line 3: ");
    }

    @Test
    void where_an_unclosed_object_begins_is_named_without_words_of_the_parser() {
        assertThatThrownBy(() -> Template.parse("\n{\"a\": ${a}", Format.JSON))
                .hasMessageStartingWith("line 2: the template is not JSON: ")
                .hasMessageContaining("start marker at line 2)")
                .hasMessageNotContaining("Source");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\": ${a}",
                "{\"a\": ${a}}}",
                "{\"a\" ${a}}",
                "{'a': ${a}}",
                "{\"a\": ${a} ${b}}",
                "{\"a\": \"${a}}",
                ""
            })
    void a_template_that_is_not_json_is_refused(String wrong) {
        assertThatThrownBy(() -> Template.parse(wrong, Format.JSON)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void the_line_of_wrong_json_is_named() {
        assertThatThrownBy(() -> Template.parse("{\n\"a\": 1\n\"b\": 2}", Format.JSON))
                .hasMessageStartingWith("line 3: ");
    }

    @ParameterizedTest
    @ValueSource(ints = {1_500, 120_000})
    void a_number_of_any_length_keeps_its_digits(int digits) {
        String number = "7".repeat(digits) + ".50";
        Template template = Template.parse("{\"is\": ${n}, \"of\": ${body}}", Format.JSON);

        String text = template.text(exchange("{\"n\": " + number + "}"));

        assertThat(text.replace(" ", "")).isEqualTo("{\"is\":" + number + ",\"of\":{\"n\":" + number + "}}");
    }

    @Test
    void a_payload_of_any_depth_that_postgres_stores_is_read_or_refused_as_one_that_can_never_be_sent() {
        String deep = "[".repeat(4_000) + "]".repeat(4_000);
        assertThat(Template.parse("${a}", Format.TEXT).text(exchange("{\"a\":" + deep + "}")))
                .isEqualTo(deep);

        String deeper = "[".repeat(14_000) + "]".repeat(14_000);
        assertThatThrownBy(() -> Template.parse("${a}", Format.TEXT).text(exchange("{\"a\":" + deeper + "}")))
                .isInstanceOf(FieldException.class)
                .hasMessage("The payload is nested too deeply for a template, or has too many values");
    }
}
