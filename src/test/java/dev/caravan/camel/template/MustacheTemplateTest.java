package dev.caravan.camel.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.camel.FieldException;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.camel.Exchange;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.DefaultExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MustacheTemplateTest {
    private static final String ORDER = """
            {"orderId": 7, "language": "de", "currency": "EUR", "price": 1, "note": null, "empty": "", "none": [], "zero": 0, "a.b": "dotted",
             "customer": {"name": "Zoë <b>\\"O'Hara\\"</b> & {{orderId}} ${orderId}", "vip": true, "blocked": false},
             "items": [{"sku": "a-1", "quantity": 3, "price": 0.10, "parts": ["x", "y"]}, {"sku": "b 2", "quantity": 1, "price": "19.90", "parts": []}],
             "amounts": [0.1, 0.2], "big": 12345678901234567890.10, "huge": 1e400, "unit price": "3"}""";

    private static final DefaultCamelContext CAMEL = new DefaultCamelContext();

    private String filled(String template, Format format, Object body) {
        Exchange exchange = new DefaultExchange(CAMEL);
        exchange.getMessage().setBody(body);
        exchange.getMessage().setHeader("type", "order.placed");
        exchange.setVariable("german", true);
        return MustacheTemplate.parse(template, format).text(exchange);
    }

    private String text(String template) {
        return filled(template, Format.TEXT, ORDER);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{{orderId}} {{ customer.vip }} {{items[1].sku}} {{['unit price']}} | 7 true b 2 3",
                "{{big}} {{huge}} | 12345678901234567890.10 1E+400",
                "{{header.type}} {{variable.german}} {{customer.title:Dear x. y}} | order.placed true Dear x. y",
                "{{#items}}{{quantity}} x {{sku}} {{currency}}{{^-last}}, {{/-last}}{{/items}} | 3 x a-1 EUR, 1 x b 2 EUR",
                "{{#items}}{{-index}}{{#-first}}!{{/-first}}{{/items}} | 1!2",
                "{{#items}}{{#parts}}{{sku}}:{{.}} {{/parts}}{{/items}}. | a-1:x a-1:y .",
                "{{#customer}}{{vip}} {{orderId}}{{/customer}} | true 7",
                "{{#customer.vip}}{{customer.vip}} {{orderId}}{{/customer.vip}}{{^customer.vip}}no{{/customer.vip}} | true 7",
                "{{#customer.blocked}}x{{/customer.blocked}}{{^customer.blocked}}free{{/customer.blocked}} | free",
                "{{#none}}x{{/none}}{{^none}}nothing{{/none}} | nothing",
                "{{#note}}x{{/note}}{{#empty}}x{{/empty}}{{#zero}}0 is a value{{/zero}} | 0 is a value",
                "{{#missing}}x{{/missing}}{{^missing}}none{{/missing}} | none",
                "{{#header.none}}x{{/header.none}}{{^header.none}}none{{/header.none}} | none",
                "{{#language == 'de'}}Hallo{{/language == 'de'}}{{^language == 'de'}}Hello{{/language == 'de'}} | Hallo",
                "{{#items}}{{#quantity > 1}}{{sku}}{{/quantity > 1}}{{/items}} | a-1",
                "{{#header.type == 'order.placed'}}new{{/header.type == 'order.placed'}} | new",
                "{{#items}}{{quantity * price}} {{/items}}{{sum(items, quantity * price)}} | 0.30 19.90 20.20",
                "{{sum(amounts)}} {{sum(none, price)}} {{sum(items, price) > 20}} | 0.3 0 false",
                "{{! a comment with {{{x}}a}} | a}}",
                "{{&customer.vip}} {{{customer.vip}}} | true true"
            })
    void lists_conditions_and_sums(String template, String expected) {
        assertThat(text(template)).isEqualTo(expected);
    }

    @Test
    void a_tag_alone_in_its_line_leaves_no_line() {
        assertThat(text("Order {{orderId}}\n{{#items}}\n- {{sku}}\n{{/items}}\n{{! done }}\nEnd\n"))
                .isEqualTo("Order 7\n- a-1\n- b 2\nEnd\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{{customer.phone}} | The field customer.phone of the payload is missing",
                "{{#itmes}}{{sku}}{{/itmes}} | The field itmes of the payload is missing. If it may be, say with {{^itmes}}…{{/itmes}} in the template what to write then",
                "{{#items}}{{colour}}{{/items}} | The field colour of items[0] is missing",
                "{{#items}}{{#parts}}{{size.x}}{{/parts}}{{/items}} | The field size.x of items[0].parts[0] is missing",
                "{{#customer}}{{phone}}{{/customer}} | The field phone of customer is missing",
                "{{note}} | The field note of the payload is null",
                "{{header.none}} | The header none is missing",
                "{{sum(items, weight)}} | The field weight of items[0] is missing, in sum(items, weight)",
                "{{sum(items, sku)}} | The field sku of items[0] is not a number, in sum(items, sku)",
                "{{sum(positions, price)}} | The field positions of the payload is missing, in sum(positions, price)",
                "{{sum(customer, price)}} | The field customer of the payload is not a list, in sum(customer, price)",
                "{{sum(items)}} | The element items[0] is not a number, in sum(items)",
                "{{#items}}{{#sku > 1}}x{{/sku > 1}}{{/items}} | The field sku of items[0] is not a number, in the condition sku > 1"
            })
    void a_missing_value_is_named_with_its_place(String template, String error) {
        assertThatThrownBy(() -> text(template))
                .isInstanceOf(FieldException.class)
                .hasMessage(error);
    }

    @Test
    void a_null_in_a_list_is_named() {
        assertThatThrownBy(() -> filled("{{#list}}{{.}}{{/list}}", Format.TEXT, "{\"list\": [1, null]}"))
                .isInstanceOf(FieldException.class)
                .hasMessageContaining("list[1] is null");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{{#items}}{{sku}} | Section missing close tag 'items'",
                "{{sku}}{{/items}} | Section close tag with no open tag 'items'",
                "{{#items}}{{/item}} | mismatched open tag",
                "{{sku | {{ has no }} after it",
                "{{sku {{x}} | {{ has no }} after it",
                "{{}} | {{}} has no name",
                "{{ }} | {{}} has no name",
                "{{#}}{{/}} | {{}} has no name",
                "{{a b}} | is not the name of a field",
                "{{sum(items price)}} | ",
                "{{sum(items, price):0}} | cannot have a default",
                "{{jsonpath($.a)}} | is a function of Camel",
                "{{> footer}} | cannot use another one",
                "{{>../../etc/passwd}} | cannot use another one",
                "{{<parent}}{{/parent}} | cannot use another one",
                "{{$block}}{{/block}} | cannot use another one",
                "{{=<% %>=}} | cannot be changed",
                "{{#-index}}{{/-index}} | -index is a number",
                "{{getClass()}} | is a function of Camel"
            })
    void a_wrong_template_is_refused_with_its_line(String wrong, String reason) {
        assertThatThrownBy(() -> MustacheTemplate.parse("first {{orderId}}\n\n" + wrong, Format.TEXT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("line 3: ")
                .hasMessageContaining(reason == null ? "" : reason);
    }

    /** An object of a route. */
    public static final class Customer {
        public String getSecret() {
            throw new AssertionError("a template called a method");
        }

        @Override
        public String toString() {
            return "a customer";
        }
    }

    @Test
    void objects_of_java_are_not_reached() {
        Exchange exchange = new DefaultExchange(CAMEL);
        exchange.setVariable("customer", new Customer());
        assertThat(Template.parse("{{variable.customer}}", Format.TEXT, "a.mustache")
                        .text(exchange))
                .isEqualTo("a customer");
        Template reaching =
                Template.parse("{{#variable.customer}}{{secret}}{{/variable.customer}}", Format.TEXT, "a.mustache");
        assertThatThrownBy(() -> reaching.text(exchange))
                .hasMessage("The field secret of variable.customer is missing");
        assertThatThrownBy(() -> text("{{class.name}}")).hasMessage("The field class.name of the payload is missing");
        assertThatThrownBy(() -> filled("{{class.name}}{{bytes}}", Format.TEXT, Map.of("a", 1)))
                .hasMessage("The field class.name of the payload is missing");
        assertThatThrownBy(() -> text("{{#items}}{{this.class}}{{/items}}")).isInstanceOf(FieldException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"<p title=\"{{customer.name}}\">", "<p title='{{customer.name}}'>{{#items}}{{/items}}"})
    void values_are_escaped_in_html(String template) {
        assertThat(filled(template, Format.HTML, ORDER))
                .contains("Zoë &lt;b&gt;&quot;O&#39;Hara&quot;&lt;/b&gt; &amp; {{orderId}} ${orderId}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<a href={{x}}>",
                "<a class=\"b\" href= {{x}}>",
                "<a title='a > b' href=${x}>",
                "<a href=/orders/${x}>",
                "<a href=/orders/{{x}}>",
                "<p>it's</p><a title='\"' href=/{{x}}>",
                "<a href='b' ${x}>",
                "<a href='b'{{x}}>",
                "<{{x}}>",
                "</${x}>",
                "<p><!-- <a href=/{{x}}> -->",
                "<input value={{#x}}{{.}}{{/x}}>"
            })
    void an_attribute_without_quotation_marks_is_refused(String tag) {
        for (String file : List.of("a.mustache", "a.html")) {
            assertThatThrownBy(() -> Template.parse("\n" + tag, Format.HTML, file))
                    .hasMessageStartingWith("line 2: put the value of the attribute into quotation marks");
        }
        assertThat(Template.parse(tag, Format.TEXT, "a.mustache")).isNotNull();
    }

    /** A browser decodes the escaped quotation mark in an attribute before it runs it, and a backslash is not escaped. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "<a href='b' onClick = \"go('${x}')\">",
                "<b onload='{{x}}'>",
                "<script>let a = '${x}';</script>",
                "<SCRIPT type=\"application/ld+json\">{\"a\": \"{{x}}\"}</SCRIPT>",
                "<style>a {color: {{x}}}</style>"
            })
    void a_value_in_code_is_refused(String html) {
        for (String file : List.of("a.mustache", "a.html")) {
            assertThatThrownBy(() -> Template.parse("\n" + html, Format.HTML, file))
                    .hasMessageStartingWith("line 2: a value cannot be a part of a script");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<a href=\"x={{x}}\">",
                "<style>a {b: c}</style><script>if (1 < 2) {}</script><p style='color: {{x}}'>{{x}}</p>",
                "<tr{{#x}} class=\"{{x}}\"{{/x}}{{! a comment }}>",
                "<{{#x}}b{{/x}}{{^x}}i{{/x}}>{{x}}",
                "<a href={{#total > 1}}\"{{x}}\"{{/total > 1}}>",
                "<a title='on {{x}}' data-on='${x}'>",
                "<p>it's {{x}} < {{x}} & \\${x}",
                "<a href='${x}'>",
                "<p>a = {{x}}</p>",
                "1 < 2 = {{x}}",
                "<a {{#x == 'y'}}class=\"b\"{{/x == 'y'}}>"
            })
    void other_equal_signs_are_allowed(String text) {
        assertThat(Template.parse(text, Format.HTML, "a.mustache")).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{{{customer.name}}}", "{{&customer.name}}", "{{ & customer.name }}", "{{ {customer.name} }}"})
    void escaping_cannot_be_avoided(String tag) {
        for (Format format : List.of(Format.HTML, Format.JSON)) {
            assertThatThrownBy(() -> MustacheTemplate.parse("\n" + tag, format))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("line 2: ");
        }
    }

    @Test
    void values_in_json_keep_their_types_and_digits() throws Exception {
        String json = filled("""
                {"id": {{orderId}}, "text": "No. {{orderId}} for {{customer.name}}", "note": {{note}}, "big": {{big}}, "huge": {{huge}},
                 "lines": [{{#items}}{"sku": {{sku}}, "n": {{quantity}}, "parts": {{parts}}, "of": {{-index}}}{{^-last}}, {{/-last}}{{/items}}],
                 "customer": {{customer}}, "total": {{sum(items, quantity * price)}}, "german": {{language == 'de'}}, "type": "{{header.type}}"}
                """, Format.JSON, ORDER);

        var read = new ObjectMapper().readTree(json);
        assertThat(json).contains("\"big\": 12345678901234567890.10,", "\"total\": 20.20,", "\"huge\": 1E+400");
        assertThat(read.get("text").asText()).isEqualTo("No. 7 for Zoë <b>\"O'Hara\"</b> & {{orderId}} ${orderId}");
        assertThat(read.get("note").isNull()).isTrue();
        assertThat(read.get("lines").get(1).get("sku").asText()).isEqualTo("b 2");
        assertThat(read.get("lines").get(0).get("parts")).hasSize(2);
        assertThat(read.get("customer").get("vip").booleanValue()).isTrue();
        assertThat(read.get("german").booleanValue()).isTrue();
    }

    @Property(tries = 300)
    void any_text_survives_json(@ForAll String text, @ForAll String other) throws Exception {
        String body = new ObjectMapper().writeValueAsString(Map.of("list", List.of(text, other)));

        String json = filled(
                "[{{#list}}{\"s\": \"<{{.}}>\", \"v\": {{.}}}{{^-last}},{{/-last}}{{/list}}]", Format.JSON, body);

        var read = new ObjectMapper().readTree(json);
        assertThat(read.get(0).get("s").asText()).isEqualTo("<" + text + ">");
        assertThat(read.get(1).get("v").asText()).isEqualTo(other);
    }

    /** Whatever a template contains, it is refused with a line, or gives a result or an error of the message. */
    @Property(tries = 2_000)
    void a_template_fails_only_in_a_known_way(@ForAll("pieces") List<String> pieces, @ForAll Format format)
            throws Exception {
        String template = String.join("", pieces);
        try {
            String result = filled(template, format, ORDER);
            if (format == Format.JSON) {
                assertThat(new ObjectMapper().readTree(result).isMissingNode()).isFalse();
            } else if (format == Format.HTML) {
                assertThat(result).doesNotContain("<b>");
            }
        } catch (FieldException e) {
            assertThat(e).hasMessageNotContaining("Zoë");
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageStartingWith("line ");
        }
    }

    @Provide
    Arbitrary<List<String>> pieces() {
        return Arbitraries.of(
                        "{{",
                        "}}",
                        "{",
                        "}",
                        "#",
                        "^",
                        "/",
                        "&",
                        ">",
                        "<",
                        "$",
                        "=",
                        "!",
                        ".",
                        " ",
                        "\n",
                        "\\",
                        "\"",
                        ":",
                        ",",
                        "[",
                        "]",
                        "items",
                        "sku",
                        "customer.name",
                        "orderId",
                        "note",
                        "missing",
                        "-last",
                        "-index",
                        "sum(items, price)",
                        "{{#items}}",
                        "{{/items}}",
                        "{{^items}}",
                        "{{customer.name}}",
                        "{{.}}",
                        "{{#customer}}",
                        "{{/customer}}",
                        "{{{customer.name}}}",
                        "{{&customer.name}}",
                        "{{#-index}}",
                        "{{/-index}}",
                        "{{customer}}",
                        "quantity > 1",
                        "* price")
                .list()
                .ofMaxSize(12);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[{{#items}}{{sku}},{{/items}}]",
                "[{{#items}}{{sku}}{{/items}}]",
                "{{#none}}1{{/none}}",
                "{\"a\": \"{{#items}}{{sku}}\"{{/items}}}",
                "{\"a\": {{orderId}}} {}",
                "{{orderId}}{{price}}x"
            })
    void a_result_that_is_not_json_is_an_error_without_its_content(String template) {
        assertThatThrownBy(() -> filled(template, Format.JSON, ORDER))
                .isInstanceOf(FieldException.class)
                .hasMessageMatching("The template gives (no JSON|nothing) for this message.*")
                .hasMessageNotContaining("a-1");
    }

    /** A step of the route may have calculated it. */
    @ParameterizedTest
    @CsvSource({"a.json,{\"a\": ${variable.ratio}}", "a.mustache,{\"a\": {{variable.ratio}}}"})
    void a_number_that_json_does_not_have_is_named(String file, String template) {
        Exchange exchange = new DefaultExchange(CAMEL);
        for (Object number : List.of(Double.NaN, Float.POSITIVE_INFINITY, List.of(Double.NEGATIVE_INFINITY))) {
            exchange.setVariable("ratio", number);
            assertThatThrownBy(() -> Template.parse(template, Format.JSON, file).text(exchange))
                    .isInstanceOf(FieldException.class)
                    .hasMessage("The variable ratio is or contains NaN or Infinity, which JSON does not have");
        }
    }

    @Test
    void a_backslash_before_a_value_in_json_is_refused() {
        assertThatThrownBy(() -> MustacheTemplate.parse("{\"a\": \"\\{{x}}\"}", Format.JSON))
                .hasMessageStartingWith("line 1: \\ before {{");
        assertThat(filled("{\"a\": \"\\\\{{orderId}}\"}", Format.JSON, ORDER)).isEqualTo("{\"a\": \"\\\\7\"}");
    }

    @Test
    void what_a_template_gives_is_limited() {
        String list = "{\"list\": [" + "1,".repeat(2_999) + "1]}";
        assertThatThrownBy(() -> filled("{{#list}}{{#list}}{{#list}}{{/list}}{{/list}}{{/list}}", Format.TEXT, list))
                .isInstanceOf(FieldException.class)
                .hasMessageContaining("repeats more than 10000000 elements");
        assertThatThrownBy(() -> filled("{{#list}}{{#list}}abc{{/list}}{{/list}}", Format.TEXT, list))
                .isInstanceOf(FieldException.class)
                .hasMessageContaining("more than 16777216 characters");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e1001", "1e999999999", "-1e-999999999", "1e-1001"})
    void numbers_without_end_are_refused_in_a_sum(String number) {
        assertThatThrownBy(() -> filled("{{sum(list)}}", Format.TEXT, "{\"list\": [1, " + number + "]}"))
                .isInstanceOf(FieldException.class)
                .hasMessage("The element list[1] is not a number of at most 1000 digits, in sum(list)");
    }

    @Test
    void large_numbers_are_added_exactly() {
        assertThat(filled("{{sum(list)}}", Format.TEXT, "{\"list\": [1e400, 1, -1e400]}"))
                .isEqualTo("1");
        assertThat(filled("{{sum(list)}}", Format.TEXT, "{\"list\": [9223372036854775807, 1]}"))
                .isEqualTo("9223372036854775808");
    }

    @Test
    void hostile_payloads_do_no_harm() {
        assertThat(filled("{{a}}", Format.TEXT, "{\"a\": 1, \"a\": 2}"))
                .as("the last one")
                .isEqualTo("2");
        assertThat(filled("{{['a.b']}} {{a.b}}", Format.TEXT, "{\"a.b\": 1, \"a\": {\"b\": 2}}"))
                .isEqualTo("1 2");
        String deep = "[".repeat(4_000) + "]".repeat(4_000);
        assertThat(filled("{{a}}", Format.TEXT, "{\"a\": " + deep + "}")).isEqualTo(deep);
        assertThatThrownBy(() -> filled("{{a}}", Format.TEXT, "{\"a\": " + "[".repeat(9_000) + "]".repeat(9_000) + "}"))
                .isInstanceOf(FieldException.class);
        assertThatThrownBy(() -> filled("{{a}}", Format.TEXT, "secret"))
                .isInstanceOf(FieldException.class)
                .hasMessageNotContaining("secret");
    }
}
