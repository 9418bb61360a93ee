package dev.caravan.adopt.intake;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RowKeyTest {
    private static final UUID ID = UUID.fromString("0a000000-0000-0000-0000-000000000001");

    static List<List<Object>> keys() {
        return List.of(
                List.of("a"),
                List.of(" A b  "),
                List.of(""),
                List.of("it's \"quoted\" \\ \n ü 😀"),
                List.of("with\0nul"),
                List.of("half \ud83d of a character"),
                List.of(7L),
                List.of(Long.MIN_VALUE, Long.MAX_VALUE),
                List.of(new BigDecimal("18446744073709551615")),
                List.of(new BigDecimal("1.10")),
                List.of(new BigDecimal("-0.000000000000000000000000000001")),
                List.of(true, false),
                List.of(new byte[] {0, -1, 127}),
                List.of(new byte[0]),
                List.of(ID),
                List.of("a", 1L, ID, new byte[] {1}, new BigDecimal("1.0")));
    }

    @ParameterizedTest
    @MethodSource("keys")
    void a_key_is_the_same_after_it_was_stored(List<Object> values) {
        RowKey stored = RowKey.of(new RowKey(values).json());

        assertThat(stored).isEqualTo(new RowKey(values)).hasSameHashCodeAs(new RowKey(values));
        for (int i = 0; i < values.size(); i++) {
            assertThat(stored.values().get(i)).isEqualTo(values.get(i));
        }
    }

    @Test
    void whole_numbers_are_the_same_key_whatever_their_class_in_the_driver() {
        assertThat(List.of(
                        7, (short) 7, (byte) 7, BigInteger.valueOf(7), new BigDecimal("7"), new BigDecimal("0.7E+1")))
                .allSatisfy(number -> assertThat(new RowKey(List.of(number))).isEqualTo(new RowKey(List.of(7L))));
        assertThat(new RowKey(List.of(new BigDecimal("7.0")))).isNotEqualTo(new RowKey(List.of(7L)));
    }

    @Test
    void keys_differ_in_case_blanks_and_type() {
        assertThat(List.of(
                        new RowKey(List.of("a")),
                        new RowKey(List.of("A")),
                        new RowKey(List.of("a ")),
                        new RowKey(List.of("7")),
                        new RowKey(List.of(7L)),
                        new RowKey(List.of(new byte[] {7})),
                        new RowKey(List.of("a", "b")),
                        new RowKey(List.of("a,b"))))
                .doesNotHaveDuplicates();
    }

    @Test
    void its_text_fits_into_a_key_of_a_message() {
        assertThat(new RowKey(List.of("a", 7L, new byte[] {10, -1})).text()).isEqualTo("a,7,0aff");
        assertThat(new RowKey(List.of("ü\0".repeat(2000))).text())
                .hasSizeLessThan(900)
                .doesNotContain("\0");
    }

    /** These ids are stored: another derivation would make new messages of rows that are copied again. */
    @Test
    void a_message_id_is_derived_from_intake_and_key_and_stays_what_it_was() {
        assertThat(new RowKey(List.of(7L)).messageId("shop")).hasToString("80bc0ceb-57ea-31c6-bc23-873999522394");
        assertThat(new RowKey(List.of("a", "b")).messageId("shop"))
                .isNotEqualTo(new RowKey(List.of("a,b")).messageId("shop"))
                .isNotEqualTo(new RowKey(List.of("a", "b")).messageId("web"));
    }
}
