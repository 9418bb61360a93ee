package dev.caravan.base.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SentenceTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "unknown field a | unknown field a.",
                "unknown field a, did you mean b? | unknown field a, did you mean b?",
                "It is closed. | It is closed.",
                "'first line\nsecond line\n' | 'first line\nsecond line.'",
            })
    void a_reason_ends_once(String reason, String sentence) {
        assertThat(Sentence.of(reason)).isEqualTo(sentence);
    }
}
