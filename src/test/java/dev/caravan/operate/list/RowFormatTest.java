package dev.caravan.operate.list;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.util.RawValue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowFormatTest {
    record Row(
            String text,
            long number,
            boolean flag,
            Optional<Instant> at,
            Optional<RawValue> payload,
            Optional<byte[]> bytes,
            Map<String, Object> detail) {
        static Row of(String text) {
            return new Row(text, 7, true, Optional.empty(), Optional.empty(), Optional.empty(), Map.of());
        }
    }

    private static final List<String> COLUMNS =
            List.of("text", "number", "flag", "at", "payload", "bytes", "detail", "absent");

    @Test
    void csv_has_names_first_and_quotes_texts_as_rfc_4180_says() {
        Row row = new Row(
                "a \"b\", c;\r\nd é",
                7,
                true,
                Optional.of(Instant.EPOCH),
                Optional.of(new RawValue("{\"n\": 1.10}")),
                Optional.of(new byte[] {1}),
                Map.of("k", "v"));

        assertThat(RowFormat.CSV.head(COLUMNS)).isEqualTo("text,number,flag,at,payload,bytes,detail,absent\r\n");
        assertThat(RowFormat.CSV.line(row, COLUMNS))
                .isEqualTo("\"a \"\"b\"\", c;\r\nd é\",7,true,\"1970-01-01T00:00:00Z\",\"{\"\"n\"\": 1.10}\",\"AQ==\","
                        + "\"{\"\"k\"\":\"\"v\"\"}\",\r\n");
        assertThat(RowFormat.CSV.line(Row.of(""), COLUMNS)).isEqualTo("\"\",7,true,,,,\"{}\",\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"})
    void a_spreadsheet_does_not_run_a_text_as_a_formula(String text) {
        assertThat(RowFormat.CSV.line(Row.of(text), COLUMNS)).startsWith("\"'" + text + "\",");
    }

    @Test
    void a_field_without_a_column_is_an_error_and_not_left_out() {
        assertThatThrownBy(() -> RowFormat.CSV.line(Row.of("a"), List.of("text")))
                .hasMessage("there is no column for number");
    }

    @Test
    void a_row_as_json_is_one_line_whatever_its_payload_looks_like() {
        Row row = new Row(
                "a\nb\u2028",
                7,
                true,
                Optional.empty(),
                Optional.of(new RawValue("{\n \"n\" :\r\n 1.10}")),
                Optional.empty(),
                Map.of());

        assertThat(RowFormat.JSONL.head(COLUMNS)).isEmpty();
        assertThat(RowFormat.JSONL.line(row, COLUMNS))
                .isEqualTo(
                        "{\"text\":\"a\\nb\\u2028\",\"number\":7,\"flag\":true,\"at\":null,\"payload\":{  \"n\" :   1.10},"
                                + "\"bytes\":null,\"detail\":{}}\n");
    }

    @Test
    void parts_end_with_a_short_one_and_can_be_taken_apart() throws Exception {
        List<Integer> asked = new ArrayList<>();
        Parts<Integer> parts = Parts.of(2, last -> {
            asked.add(last.orElse(0));
            return last.isEmpty() ? List.of(1, 2) : List.of(3);
        });

        Parts<String> single = parts.oneByOne().map(one -> List.of("n" + one.get(0)));
        List<String> read = new ArrayList<>();
        for (Optional<List<String>> next = single.next(); next.isPresent(); next = single.next()) {
            read.addAll(next.get());
        }

        assertThat(read).containsExactly("n1", "n2", "n3");
        assertThat(asked).containsExactly(0, 2);
        assertThat(single.next()).isEmpty();
    }
}
