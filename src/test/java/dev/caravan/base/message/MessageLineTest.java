package dev.caravan.base.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MessageLineTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{ \"a\" :  1.50, \"a\": \"grüße 😀\" }",
                "[1,  2]",
                "\"text\"",
                "\"grüße\"",
                "12.50",
                "-1e400",
                "true",
                "{}"
            })
    void the_payload_is_kept_byte_for_byte(String payload) throws BadLine {
        assertThat(column("{\"payload\": " + payload + " ," + KEY + "}", 5)).isEqualTo(payload);
        assertThat(column("{" + KEY + ",\"payload\":" + payload + "}", 5)).isEqualTo(payload);
    }

    @Test
    void a_null_payload_is_an_empty_body() throws BadLine {
        assertThat(column("{" + KEY + ",\"payload\":null}", 5)).isEqualTo("\\N");
    }

    @Test
    void the_json_value_null_is_a_text() throws BadLine {
        assertThat(column("{" + KEY + ",\"payloadText\":\"null\"}", 5)).isEqualTo("null");
        assertThat(column("{" + KEY + ",\"payloadText\":null}", 5)).isEqualTo("\\N");
        assertThatThrownBy(() -> column("{" + KEY + ",\"payloadText\":\"nul\"}", 5))
                .hasMessageStartingWith("invalid JSON");
        assertThatThrownBy(() -> column("{" + KEY + ",\"payloadText\":\"null\",\"payload\":1}", 5))
                .hasMessage("payload and payloadText exclude each other");
    }

    @Test
    void a_binary_payload_is_base64() throws BadLine {
        String line = "{" + KEY + ",\"payloadBase64\":\"AP8nXA==\"}";

        assertThat(column(line, 5)).isEqualTo("\\N");
        assertThat(column(line, 6)).isEqualTo("\\\\x00ff275c");
        assertThat(column("{" + KEY + ",\"payload\":null,\"payloadBase64\":\"\"}", 6))
                .isEqualTo("\\\\x");
        assertThat(column("{" + KEY + ",\"payload\":1,\"payloadBase64\":null}", 6))
                .isEqualTo("\\N");
        assertThat(column("{" + KEY + ",\"payloadBase64\":null}", 6)).isEqualTo("\\N");
    }

    @Test
    void a_message_has_one_payload() {
        String line = "{" + KEY + ",\"payload\":{},\"payloadBase64\":\"\"}";

        assertThatThrownBy(() -> MessageLine.row(line.getBytes(StandardCharsets.UTF_8)))
                .hasMessage("payload and payloadBase64 exclude each other");
    }

    @Test
    void a_message_id_is_kept_or_made() throws BadLine {
        String id = "3f0c1f4e-8d7b-4a52-9c3e-0f5f6f3c2b1a";
        assertThat(column("{" + KEY + ",\"payload\":1,\"messageId\":\"" + id + "\"}", 0))
                .isEqualTo(id);
        assertThat(column("{" + KEY + ",\"payload\":1}", 0)).hasSize(36);
    }

    @Test
    void the_names_of_the_columns_are_accepted_too() throws BadLine {
        String line = "{\"aggregate_type\":\"order\",\"aggregate_id\":\"7\",\"type\":\"a\",\"payload\":1,"
                + "\"message_id\":\"3f0c1f4e-8d7b-4a52-9c3e-0f5f6f3c2b1a\"}";
        String other = "{\"aggregateType\":\"order\",\"aggregateId\":\"7\",\"type\":\"a\",\"payload\":1,"
                + "\"messageId\":\"3f0c1f4e-8d7b-4a52-9c3e-0f5f6f3c2b1a\"}";

        assertThat(MessageLine.row(line.getBytes(UTF_8)).copyRow())
                .isEqualTo(MessageLine.row(other.getBytes(UTF_8)).copyRow());
        assertThat(MessageDocument.read(line.getBytes(UTF_8), Instant.EPOCH)
                        .get(0)
                        .key())
                .isEqualTo(new Key("order", "7"));
        assertThatThrownBy(() -> MessageLine.row(
                        line.replace("{", "{\"aggregateId\":\"8\",").getBytes(UTF_8)))
                .hasMessage("field aggregateId occurs twice");
    }

    @Test
    void what_copy_gives_a_meaning_to_is_escaped() throws BadLine {
        String line =
                "{\"aggregateType\":\"a\\tb\",\"aggregateId\":\"c\\\\d\",\"type\":\"e\\nf\",\"payload\":\"g\\th\"}";

        assertThat(column(line, 1)).isEqualTo("a\\tb");
        assertThat(column(line, 2)).isEqualTo("c\\\\d");
        assertThat(column(line, 3)).isEqualTo("e\\nf");
        assertThat(column(line, 5)).isEqualTo("\"g\\\\th\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "nonsense | invalid JSON",
                "[1] | not a JSON object",
                "{\"type\":\"t\",\"payload\":1} | missing aggregateType, aggregateId",
                "{\"aggregateType\":\"a\",\"aggregateId\":\"b\",\"type\":\"c\"} | missing payload",
                "{\"aggregateType\":7} | aggregateType must be a string, got a number",
                "{\"aggregateType\":\" \"} | aggregateType must not be empty",
                "{\"agregateType\":\"a\"} | unknown field agregateType, did you mean aggregateType?",
                "{\"color\":\"a\"} | unknown field color; fields are aggregateType",
                "{\"type\":\"a\",\"type\":\"b\"} | field type occurs twice",
                "{\"type\":\"a\\u0000\"} | type contains the character \\u0000",
                "{\"type\":\"a\\ud800\"} | unpaired surrogate",
                "{\"payload\":{\"a\":} | invalid JSON",
                "{\"payload\":{\"a\":1} | the line ends too early",
                "{\"payload\":01} | invalid JSON",
                "{\"headers\":[1]} | headers must be an object, got an array",
                "{\"headers\":{\"a\":{}}} | headers.a must be a string, a number or a boolean, got an object",
                "{\"headers\":{\"a\":\"\\u0000\"}} | headers.a contains the character \\u0000",
                "{\"headers\":{\"a\":1e99999}} | headers.a is a number too large",
                "{\"messageId\":\"1\"} | messageId must be a UUID",
                "{\"payloadBase64\":\"A\"} | payloadBase64 is not Base64",
                "{\"payloadBase64\":\"####\"} | payloadBase64 is not Base64",
                "{\"payloadBase64\":[1]} | payloadBase64 must be a string, got an array",
                "{\"type\":\"a\"} {} | missing"
            })
    void a_bad_line_says_why(String line, String reason) {
        if (line.endsWith("{}")) {
            line = "{" + KEY + ",\"payload\":1} {}";
            reason = "more than one JSON value";
        }
        String text = line;
        assertThatThrownBy(() -> MessageLine.row(text.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(BadLine.class)
                .hasMessageContaining(reason);
    }

    @Test
    void bytes_that_are_not_utf8_are_refused() {
        byte[] line = ("{" + KEY + ",\"payload\":\"ü\"}").getBytes(StandardCharsets.ISO_8859_1);

        assertThatThrownBy(() -> MessageLine.row(line)).hasMessageContaining("not UTF-8");
    }

    @Test
    void a_reason_never_holds_what_the_message_says() {
        String line = "{" + KEY + ",\"payload\":{\"secret\": hunter2}}";

        assertThatThrownBy(() -> MessageLine.row(line.getBytes(StandardCharsets.UTF_8)))
                .message()
                .doesNotContain("hunter2")
                .contains("column");
    }

    private static final String KEY = "\"aggregateType\":\"order\",\"aggregateId\":\"1\",\"type\":\"order.created\"";

    private static String column(String line, int index) throws BadLine {
        String row = new String(
                MessageLine.row(line.getBytes(StandardCharsets.UTF_8)).copyRow(), StandardCharsets.UTF_8);
        assertThat(row).endsWith("\n");
        return row.substring(0, row.length() - 1).split("\t", -1)[index];
    }
}
