package dev.caravan.routes.context;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BuiltInRoutesTest {
    private static final String ERRORS = "error-handling.camel.yaml";
    private static final String DEAD_LETTER = "dead-letter.camel.yaml";

    @Test
    void both_are_active_unless_a_file_has_their_name() {
        assertThat(BuiltInRoutes.besides(Map.of())).containsOnlyKeys(ERRORS, DEAD_LETTER);
        assertThat(BuiltInRoutes.besides(Map.of(ERRORS, ""))).containsOnlyKeys(DEAD_LETTER);
        assertThat(BuiltInRoutes.with(Map.of(ERRORS, "own", "a.camel.yaml", "")))
                .containsOnlyKeys(ERRORS, DEAD_LETTER, "a.camel.yaml")
                .containsEntry(ERRORS, "own");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "from:\n  uri: direct:dead-letter\n",
                "from: {uri: 'direct:dead-letter'}",
                "<from uri=\"direct:dead-letter?block=false\"/>",
                "from(\"direct://dead-letter\").to(\"log:a\")"
            })
    void a_file_of_another_name_that_reads_dead_letters_replaces_that_route(String text) {
        assertThat(BuiltInRoutes.besides(Map.of("alerts", text))).containsOnlyKeys(ERRORS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"from:\n  uri: direct:dead-letters", "to:\n  uri: direct:dead-letter"})
    void other_routes_replace_nothing(String text) {
        assertThat(BuiltInRoutes.besides(Map.of("alerts", text))).hasSize(2);
    }
}
