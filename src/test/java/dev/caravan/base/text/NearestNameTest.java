package dev.caravan.base.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestNameTest {
    private static final List<String> KNOWN =
            List.of("requestRequiredAcks", "retries", "lingerMs", "sendTimeout", "ackTimeout");

    @ParameterizedTest
    @CsvSource({
        "lngerMs, lingerMs",
        "acks, requestRequiredAcks",
        "linger, lingerMs",
        "ms, ''", // too short to be a part
        "timeout, ''", // a part of two names
        "partition, ''",
    })
    void a_name_is_found_by_a_misspelling_or_by_a_part_of_it(String typed, String found) {
        assertThat(NearestName.to(typed, KNOWN).orElse("")).isEqualTo(found);
    }
}
