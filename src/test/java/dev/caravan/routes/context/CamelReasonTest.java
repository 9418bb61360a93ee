package dev.caravan.routes.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URISyntaxException;
import java.net.UnknownHostException;
import org.apache.camel.NoSuchEndpointException;
import org.apache.camel.PropertyBindingException;
import org.apache.camel.ResolveEndpointFailedException;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.api.Test;

class CamelReasonTest {
    @Test
    void the_reason_is_the_message_of_the_root_cause_on_one_line() {
        Exception thrown = new IllegalStateException(
                "Failed to create route orders", new IllegalArgumentException(" No bean:\n   orders.\n"));

        assertThat(CamelReason.of(thrown)).isEqualTo("No bean: orders");
    }

    @Test
    void an_exception_without_a_message_is_named() {
        assertThat(CamelReason.of(new RuntimeException("Failed", new NullPointerException())))
                .isEqualTo("NullPointerException");
    }

    @Test
    void a_missing_setting_is_reported_with_the_place_to_write_it() {
        assertThat(
                        CamelReason.of(
                                new IllegalArgumentException(
                                        "Property with key [partner.url] not found in properties from text: {{partner.url}}\nand more")))
                .isEqualTo("the setting partner.url is missing. Write it into application.properties, or into a"
                        + " *.properties file in the routes folder");
        assertThat(CamelReason.of(new IllegalArgumentException(
                        "Property with key [env:URL] using function [env] returned null value which is not allowed")))
                .isEqualTo("the environment variable URL is not set");
    }

    @Test
    void a_missing_component_is_reported_with_the_command_that_adds_it() {
        assertThat(CamelReason.of(new NoSuchEndpointException("aws2-sqs://orders")))
                .endsWith("it needs camel-aws2-sqs: ./caravan component add aws2-sqs");
    }

    @Test
    void an_unknown_host_is_reported_as_such() {
        assertThat(CamelReason.of(new RuntimeException(new UnknownHostException("kafka.invalid"))))
                .isEqualTo("unknown host kafka.invalid");
    }

    @Test
    void the_options_and_users_of_an_address_are_not_repeated() {
        assertThat(CamelReason.of(new URISyntaxException(
                        "standard-webhook://shop?secrets=RAW(whsec_a\n)", "Illegal character in query", 40)))
                .isEqualTo("Illegal character in query at character 41 of the address");
        assertThat(
                        CamelReason.of(
                                new IllegalArgumentException(
                                        "Cannot use smtp://anna:pw@mail.example?password=RAW(a b)c) d)&x=y with RAW{e} f} and RAW(open")))
                .isEqualTo("Cannot use smtp://•••@mail.example?••• with RAW(•••) and RAW(•••)");
        assertThat(CamelReason.of(new ResolveEndpointFailedException(
                        "log://a?shwBody=pw", "Unknown parameters=[{shwBody=pw, apiKey=b c}]")))
                .contains("Unknown parameters=[{shwBody=•••, apiKey=•••}]")
                .doesNotContain("pw");
    }

    @Test
    void the_value_of_a_setting_is_not_quoted_where_it_is_no_address_and_where_its_name_is_wrong() throws Exception {
        try (DefaultCamelContext context = new DefaultCamelContext()) {
            assertThatThrownBy(() -> context.getEndpoint("whsec_Secret/1?a=b"))
                    .satisfies(thrown -> assertThat(CamelReason.of(thrown))
                            .startsWith("No endpoint could be found for: •••")
                            .doesNotContain("Secret"));
            assertThat(CamelReason.of(new PropertyBindingException(
                            context, "saslJaasConfg", "Secret", "camel.component.kafka", "saslJaasConfg", null)))
                    .isEqualTo(
                            "the setting camel.component.kafka.saslJaasConfg is unknown, or its value cannot be used");
        }
    }
}
