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
                        "mail.smtp.host",
                        "Mail.SMTPS.ssl.trust",
                        "\u212aafka.KEY")) // the sign for Kelvin: its small letter is k
                .allMatch(ReservedNames::contains);
    }

    /** A header of a row would replace the aggregate id that is sent. */
    @Example
    void names_with_which_jms_sends_those_of_the_outbox_are_reserved() {
        assertThat(List.of("aggregate_HYPHEN_id", "outbox_hyphen_id", "aggregate_HYPHEN_type", "created_HYPHEN_at"))
                .allMatch(ReservedNames::contains);
    }

    @Example
    void other_names_are_free() {
        assertThat(List.of(
                        "",
                        "came",
                        "x-camel",
                        "kafka",
                        "mail.smtpx",
                        "mail",
                        "org.apache",
                        "orderId",
                        "correlation-id",
                        "ids",
                        "traceparent"))
                .noneMatch(ReservedNames::contains);
    }
}
