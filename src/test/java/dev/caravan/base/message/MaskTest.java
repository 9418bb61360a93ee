package dev.caravan.base.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.caravan.base.text.StoredJson;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.failed.Shown;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MaskTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private final Mask mask = Mask.of("phone, Email,");

    @Test
    void values_are_hidden_at_any_depth_and_in_any_case() {
        assertThat(mask.hide("{\"phone\":{\"a\":1},\"b\":[{\"EMAIL\":\"x\",\"c\":1.10}],\"d\":{\"Phone\":7}}"))
                .isEqualTo("{\"phone\":\"•••\",\"b\":[{\"EMAIL\":\"•••\",\"c\":1.10}],\"d\":{\"Phone\":\"•••\"}}");
    }

    @Test
    void what_has_nothing_to_hide_stays_as_it_is_written() {
        String written = "{ \"phones\" : 1e2,\n \"n\": [ 1.0, null ], \"phone\": null }";

        assertThat(mask.hide(written)).isSameAs(written);
        assertThat(mask.hide("\"phone\"")).isEqualTo("\"phone\"");
        assertThat(Mask.of("").hide("{\"phone\":1}")).isEqualTo("{\"phone\":1}");
    }

    @Test
    void every_field_of_a_repeated_name_is_hidden_and_all_other_text_is_unchanged() {
        assertThat(mask.hide("{\"email\":\"a@b.example\",\"email\":null}"))
                .isEqualTo("{\"email\":\"•••\",\"email\":null}");
        assertThat(
                        mask.hide(
                                "[ {\"a\": {\"phone\" : [1, {\"phone\":2}] }, \"a\": 1.10 , \"\\u0065mail\" :\"x \\\" }\"} , 1e2 ]"))
                .isEqualTo("[ {\"a\": {\"phone\" : \"•••\" }, \"a\": 1.10 , \"\\u0065mail\" :\"•••\"} , 1e2 ]");
        assertThat(mask.hide("{\"phone\":+}".replace("+", "-12.50e3") + " ")).isEqualTo("{\"phone\":\"•••\"} ");
        assertThat(mask.hide("{\"phone\":true,\"email\":\"\"}")).isEqualTo("{\"phone\":\"•••\",\"email\":\"•••\"}");
    }

    @Test
    void every_value_of_a_repeated_name_is_known_to_be_hidden_in_other_texts() {
        assertThat(mask.hiddenValues(
                        "{\"email\":\"a\",\"b\":\"c\",\"email\":null,\"phone\":{\"x\":1.50,\"x\":[\"d\",true,\"\"]}}"))
                .containsExactly("a", "1.50", "d", "true");
    }

    /** Some publishers write a document as a text, and some twice. */
    @Test
    void values_in_a_document_within_a_text_are_hidden() {
        assertThat(
                        mask.hide(
                                "{\"a\": \"{\\\"phone\\\" : \\\"+1\\\", \\\"n\\\": 1.0}\", \"b\": \"[phone\", \"c\":\" [{}] \"}"))
                .isEqualTo(
                        "{\"a\": \"{\\\"phone\\\" : \\\"•••\\\", \\\"n\\\": 1.0}\", \"b\": \"[phone\", \"c\":\" [{}] \"}");
        String twice =
                JSON.getNodeFactory().textNode("\"{\\\"phone\\\":\\\"+1\\\"}\"").toString();
        assertThat(mask.hide(twice)).isEqualTo(twice.replace("+1", "•••"));
        assertThat(mask.hiddenValues(twice)).contains("+1");
    }

    /** They cannot be read as one document: a list of lines, a text with a byte order mark, a part, a message of a log, and JSON in JSON in it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"phone\":\"+49170\"}\n{\"phone\":\"+49170\"}",
                "\ufeff{\"phone\":\"+49170\"}",
                "{\"id\":1,\"Phone\" : \"+49170\",\"na",
                "request: {'phone': '+49170'}",
                "got {\\\"phone\\\":\\\"+49170\\\"}"
            })
    void a_text_with_a_hidden_field_is_hidden_although_it_is_no_document(String text) throws Exception {
        String document = JSON.writeValueAsString(Map.of("raw", text, "list", List.of(text)));

        String shown = mask.hide(document);

        assertThat(shown).contains("•••").doesNotContain("+49170");
        assertThat(mask.reveal(JSON.readTree(shown), document)).isEqualTo(JSON.readTree(document));
        assertThat(mask.hide(JSON.writeValueAsString(text))).doesNotContain("+49170");
    }

    @Test
    void an_edit_of_several_documents_in_a_text_that_contains_the_mask_is_refused() throws Exception {
        String document = JSON.writeValueAsString(Map.of("raw", "{\"phone\":1}\n{\"phone\":2}"));
        JsonNode edited = JSON.readTree(mask.hide(document).replace("\\n", " "));

        assertThatThrownBy(() -> mask.reveal(edited, document)).isInstanceOf(BadLine.class);
    }

    @Test
    void a_mask_that_was_left_in_a_document_within_a_text_is_the_original_value() throws Exception {
        String original = "{\"a\": \"{ \\\"phone\\\" : \\\"+1\\\", \\\"n\\\": 1}\"}";

        assertThat(mask.reveal(JSON.readTree(mask.hide(original)), original)
                        .get("a")
                        .textValue())
                .isEqualTo("{ \"phone\" : \"+1\", \"n\": 1}");
        JsonNode edited = JSON.createObjectNode().put("a", "{\"phone\":\"•••\",\"n\":2}");
        assertThat(mask.reveal(edited, original).get("a").textValue()).isEqualTo("{\"phone\":\"+1\",\"n\":2}");
        assertThatThrownBy(() -> mask.reveal(JSON.createObjectNode().put("b", "{\"phone\":\"•••\"}"), original))
                .isInstanceOf(BadLine.class);
    }

    /** The audit stores the payload as text, so that it stays as it was written. */
    @Test
    void the_original_of_an_edited_message_in_the_audit_is_masked() {
        AuditEntry entry = new AuditEntry(
                1,
                Instant.EPOCH,
                "anna",
                "proxy",
                "retry",
                "orders",
                Optional.of(7L),
                "{\"edited\":true,\"original\":{\"payload\":\"{\\\"email\\\": \\\"a@b.example\\\", \\\"n\\\": 1.0}\","
                        + "\"headers\":{\"phone\":\"+1\"}}}",
                Optional.empty());

        assertThat(Shown.masked(mask).of(entry).fields().get("original"))
                .hasToString(
                        "{\"payload\":\"{\\\"email\\\": \\\"•••\\\", \\\"n\\\": 1.0}\",\"headers\":{\"phone\":\"•••\"}}");
        assertThat(Shown.ALL.of(entry).fields().get("original").get("payload").textValue())
                .contains("a@b.example");
        assertThat(Shown.NAMES_ONLY.of(entry).fields().has("original")).isFalse();
    }

    @Test
    void a_value_with_escapes_is_known_as_it_is_read_and_as_it_is_written() {
        assertThat(mask.hiddenValues("{\"email\":[\"\\u0061@b.example\",\"a\\/b\"],\"phone\":\"+1\"}"))
                .containsExactly("a@b.example", "\\u0061@b.example", "a/b", "a\\/b", "+1");
    }

    /** A column of type json stores it, and Java has no such number. */
    @Test
    void a_number_that_is_too_large_is_shown_and_can_be_replaced() throws Exception {
        String document = "{\"a\":1e99999999999,\"phone\":1}";

        assertThat(mask.hide(document)).isEqualTo("{\"a\":1e99999999999,\"phone\":\"•••\"}");
        assertThat(mask.hiddenValues(document)).containsExactly("1");
        assertThat(mask.reveal(Json.read("{\"a\":2,\"phone\":3}"), document))
                .isEqualTo(Json.read("{\"a\":2,\"phone\":3}"));
        assertThatThrownBy(() -> mask.reveal(Json.read("{\"a\":2,\"phone\":\"•••\"}"), document))
                .isInstanceOf(BadLine.class)
                .hasMessageContaining("a number that is too large");
        assertThat(JsonDifference.between("payload", Optional.of(document), Optional.of("{\"a\":2}")))
                .extracting(JsonDifference::path)
                .containsExactly("payload");
    }

    /** Somebody may write such a payload, and it would occupy a thread for hours when a person looks at it. */
    @Test
    void many_hidden_fields_at_a_great_depth_are_hidden_in_time() {
        int depth = 1_000;
        String fields = String.join(",", Collections.nCopies(300_000, "{\"phone\":1}"));
        String document = "[".repeat(depth) + fields + "]".repeat(depth);

        String hidden = assertTimeoutPreemptively(Duration.ofSeconds(20), () -> mask.hide(document));

        assertThat(hidden).isEqualTo(document.replace(":1", ":\"•••\""));
        assertTimeoutPreemptively(
                Duration.ofSeconds(20), () -> assertThat(StoredJson.text(mask.reveal(Json.read(hidden), document)))
                        .isEqualTo(document));
    }

    @Test
    void a_mask_for_several_values_in_an_edit_is_refused() throws Exception {
        JsonNode edited = JSON.readTree("{\"b\":[{\"email\":\"•••\"}]}");

        assertThatThrownBy(() -> mask.reveal(edited, "{\"b\":[{\"email\":\"x\",\"email\":null}]}"))
                .isInstanceOf(BadLine.class)
                .hasMessageContaining("b[0].email contains the mask, but the original has several such fields");
        assertThat(mask.reveal(
                        JSON.readTree("{\"b\":[{\"email\":\"y\"}]}"), "{\"b\":[{\"email\":\"x\",\"email\":null}]}"))
                .hasToString("{\"b\":[{\"email\":\"y\"}]}");
    }

    @Test
    void a_mask_that_was_left_in_an_edit_is_the_original_value() throws Exception {
        JsonNode edited =
                JSON.readTree("{\"phone\":\"•••\",\"b\":[{\"email\":\"new\"},{\"email\":\"•••\"}],\"c\":\"is\"}");

        JsonNode revealed = mask.reveal(
                edited, "{\"phone\":{\"a\":1.50},\"b\":[{\"email\":\"x\"},{\"email\":\"y\"}],\"c\":\"was\"}");

        assertThat(revealed)
                .hasToString("{\"phone\":{\"a\":1.50},\"b\":[{\"email\":\"new\"},{\"email\":\"y\"}],\"c\":\"is\"}");
    }

    /** By its index, the mask would be the value of another element, such as the address of another person. */
    @ParameterizedTest
    @MethodSource
    void a_mask_in_an_array_that_has_changed_is_refused(String original, String edited) {
        assertThatThrownBy(() -> mask.reveal(JSON.readTree(edited), original))
                .isInstanceOf(BadLine.class)
                .hasMessageContaining("contains the mask")
                .hasMessageContaining("Give its value");
    }

    static List<Arguments> a_mask_in_an_array_that_has_changed_is_refused() {
        String two = "[{\"name\":\"A\",\"email\":\"a\"},{\"name\":\"B\",\"email\":\"b\"}]";
        String onlyB = "[{\"name\":\"B\",\"email\":\"•••\"}]";
        String exchanged = "[{\"name\":\"B\",\"email\":\"•••\"},{\"name\":\"A\",\"email\":\"•••\"}]";
        String another = "[{\"name\":\"A\",\"email\":\"•••\"},{\"name\":\"C\",\"email\":\"•••\"}]";
        return List.of(
                arguments("{\"to\":" + two + "}", "{\"to\":" + onlyB + "}"),
                arguments("{\"to\":" + two + "}", "{\"to\":" + exchanged + "}"),
                arguments("{\"to\":" + two + "}", "{\"to\":" + another + "}"),
                arguments(two, onlyB),
                arguments("[" + two + ",[]]", "[" + onlyB + ",[]]"),
                arguments("[[{\"email\":\"a\"}],[{\"email\":\"b\"}],[]]", "[[{\"email\":\"•••\"}],[]]"),
                arguments(
                        "[{\"n\":1,\"to\":[{\"email\":\"a\"}]},{\"n\":2,\"to\":[{\"email\":\"b\"}]}]",
                        "[{\"n\":2,\"to\":[{\"email\":\"•••\"}]},{\"n\":1,\"to\":[{\"email\":\"•••\"}]}]"),
                arguments("[{\"email\":null},{\"email\":\"b\"}]", "[{\"email\":\"•••\"},{\"email\":null}]"),
                arguments("{\"to\":" + two + ",\"to\":" + two.replace('b', 'c') + "}", "{\"to\":" + exchanged + "}"),
                arguments(
                        "{\"to\":[{\"name\":\"A\"},{\"name\":\"B\",\"email\":\"b\"}],\"to\":[{\"name\":\"B\",\"email\":\"c\"}]}",
                        "{\"to\":" + onlyB + "}"),
                arguments(inText("{\"to\":" + two + "}"), inText("{\"to\":" + onlyB + "}")),
                arguments(
                        "[" + inText("{\"email\":\"a\"}") + "," + inText("{\"email\":\"b\"}") + "]",
                        "[" + inText("{\"email\":\"•••\"}") + "]"),
                arguments("[\"'email':'a'\",\"'email':'b'\"]", "[\"•••\"]"));
    }

    private static String inText(String document) {
        return StoredJson.text(TextNode.valueOf(document));
    }

    @Test
    void a_mask_in_an_array_of_which_only_masked_values_have_changed_is_the_original_value() throws Exception {
        String original =
                "{\"to\":[{\"name\":\"A\",\"email\":\"a\"},{\"name\":\"B\",\"email\":\"b\"}],\"x\":[1],\"n\":1}";

        assertThat(mask.reveal(
                        JSON.readTree(
                                "{\"x\":[],\"to\":[{\"email\":\"c\",\"name\":\"A\"},{\"name\":\"B\",\"email\":\"•••\"}],\"n\":2}"),
                        original))
                .hasToString(
                        "{\"x\":[],\"to\":[{\"email\":\"c\",\"name\":\"A\"},{\"name\":\"B\",\"email\":\"b\"}],\"n\":2}");
        assertThat(mask.reveal(JSON.readTree("{\"to\":[{\"name\":\"B\",\"email\":\"new\"}]}"), original))
                .hasToString("{\"to\":[{\"name\":\"B\",\"email\":\"new\"}]}");
    }

    /** Otherwise it would be sent as the value. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"email\":[\"•••\",\"c@x\"]}",
                "{\"email\":{\"home\":\"•••\"}}",
                "{\"email\":{\"phone\":\"•••\"}}",
                "{\"email\":[[{\"a\":\"•••\"}]]}",
                "{\"email\":\"[\\\"•••\\\"]\"}",
                "{\"email\":\"[\\\"\\\\u2022\\\\u2022•\\\"]\"}",
                "{\"name\":\"•••\"}",
                "{\"more\":\"•••\"}",
                "{\"more\":[\"•••\"]}",
                "{\"phone\":\"•••\"}",
                "[\"•••\"]",
                "\"•••\"",
            })
    void a_mask_where_the_original_shows_none_is_refused(String edited) {
        String original = "{\"name\":\"A\",\"email\":{\"phone\":\"a@x\"},\"phone\":null}";

        assertThatThrownBy(() -> mask.reveal(JSON.readTree(edited), original))
                .isInstanceOf(BadLine.class)
                .hasMessageContaining("contains the mask, but the original shows no mask there. Give its value");
        assertThatThrownBy(() -> mask.reveal(edited, Optional.of(original))).isInstanceOf(BadLine.class);
        assertThatThrownBy(() -> mask.reveal(edited, Optional.empty())).isInstanceOf(BadLine.class);
    }

    @Test
    void a_text_that_is_the_mask_in_the_original_too_stays() throws Exception {
        JsonNode edited = JSON.readTree("{\"note\":\"•••\",\"list\":[\"•••\"],\"email\":\"•••\",\"n\":\"2 •••\"}");

        assertThat(mask.reveal(edited, "{\"note\":\"•••\",\"list\":[\"•••\"],\"email\":\"•••\",\"n\":1}"))
                .isEqualTo(edited.deepCopy());
    }

    @Test
    void an_edited_text_without_a_mask_stays_as_it_is_written_and_a_repeated_field_beside_one_is_refused()
            throws Exception {
        String written = "{ \"n\" : 1.50, \"n\" : 2, \"note\": \"see •••\" }";

        assertThat(mask.reveal(written, Optional.of("{}"))).isSameAs(written);
        assertThat(mask.reveal("{\"email\": \"\\u2022••\",\"n\":1.50}", Optional.of("{\"email\":\"a\"}")))
                .isEqualTo("{\"email\":\"a\",\"n\":1.50}");
        assertThatThrownBy(() -> mask.reveal("{\"n\":1,\"n\":2,\"email\":\"•••\"}", Optional.of("{\"email\":\"a\"}")))
                .isInstanceOf(BadLine.class)
                .hasMessageContaining("a field twice");
    }

    @Test
    void a_mask_without_an_original_value_is_refused() throws Exception {
        JsonNode edited = JSON.readTree("{\"b\":[{\"email\":\"•••\"}]}");

        assertThatThrownBy(() -> mask.reveal(edited, "{\"b\":[]}"))
                .isInstanceOf(BadLine.class)
                .hasMessageContaining("b[0].email");
    }

    @Test
    void documents_of_any_depth_and_numbers_and_names_of_any_length_are_masked() {
        String deep = "[".repeat(4_000) + "{\"phone\":1}" + "]".repeat(4_000);
        assertThat(mask.hide(deep)).isEqualTo(deep.replace("1", "\"•••\""));
        assertThat(mask.hide("[".repeat(14_000) + "]".repeat(14_000))).isEqualTo("\"•••\"");

        String unusual = "{\"" + "n".repeat(60_000) + "\":" + "7".repeat(1_500) + ",\"email\":\"•••\"}";
        assertThat(mask.hide(unusual.replace("•••", "a@b.example"))).isEqualTo(unusual);
    }
}
