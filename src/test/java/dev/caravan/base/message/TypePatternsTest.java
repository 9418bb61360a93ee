package dev.caravan.base.message;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TypePatternsTest {
    @ParameterizedTest
    @CsvSource({
        "App\\Event\\*, App\\Event\\Created",
        "App\\*, App\\Event\\Created",
        "App\\Event, App\\Event",
        "*\\Event\\Created, App\\Event\\Created",
        "\\Qa\\E, \\Qa\\E",
        "100%_*, 100%_\\Q.*",
        "(*)[a]., (.\u2028)[a].",
        "Ä*, Äπ😀",
    })
    void a_type_matches_whatever_its_characters(String types, String type) {
        assertThat(TypePatterns.match(types, type)).isTrue();
        assertThat(TypePatterns.match(types, "x" + type)).isEqualTo(types.startsWith("*"));
    }
}
