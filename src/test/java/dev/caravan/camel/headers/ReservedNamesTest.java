package dev.caravan.camel.headers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.Example;

class ReservedNamesTest {
    @Example
    void names_that_control_a_component_are_reserved_in_any_case() {
        assertThat(List.of(
                        "CamelHttpUri",
                        "camel",
                        "CAMELFileName",
                        "org.apache.camel.X",
                        "Org.Apache.Camel.",
                        "kafka.KEY",
                        "KAFKA.key",
                        "\u212aafka.KEY")) // the sign for Kelvin: its small letter is k
                .allMatch(ReservedNames::contains);
    }

    @Example
    void other_names_are_free() {
        assertThat(List.of(
                        "",
                        "came",
                        "x-camel",
                        "kafka",
                        "org.apache",
                        "orderId",
                        "correlation-id",
                        "ids",
                        "traceparent"))
                .noneMatch(ReservedNames::contains);
    }
}
