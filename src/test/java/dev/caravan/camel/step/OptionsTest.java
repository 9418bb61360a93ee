package dev.caravan.camel.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.apache.camel.Endpoint;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sms:gateway?connectTimeout=5 | connectTimeout must be a duration with a unit, such as 500ms, 30s or 1h30m, got 5",
                "email:order?timeout=10000 | timeout must be a duration with a unit, such as 500ms, 30s or 1h30m, got 10000",
                "standard-webhook:shop?responseTimeout=soon&connectTimeout=5 | connectTimeout must be a duration with a unit, such as 500ms, 30s or 1h30m, got 5; responseTimeout must be a duration such as",
            })
    void a_time_that_camel_would_misread_is_refused(String uri, String problems) throws Exception {
        try (var camel = new DefaultCamelContext()) {
            assertThatThrownBy(() -> camel.getEndpoint(uri)).hasStackTraceContaining(problems);
        }
    }

    /** Others read the registry of Camel at the same time, without a lock: a computed step would fail the messages of other routes. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "email:order?server=smtp://localhost:1&from=a@b.example&to=c@d.example&subject=a&text=b",
                "standard-webhook:shop?url=https://shop.example/&secrets=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            })
    void a_step_binds_nothing_in_the_registry(String uri) throws Exception {
        try (var camel = new DefaultCamelContext()) {
            camel.start();
            camel.getEndpoint(uri).createProducer().start();
            Set<String> bound =
                    camel.getRegistry().findByTypeWithName(Object.class).keySet();

            camel.getEndpoint(uri).createProducer().start();
            assertThat(camel.getRegistry().findByTypeWithName(Object.class).keySet())
                    .isEqualTo(bound);
            assertThat(camel.getEndpoints())
                    .extracting(Endpoint::getEndpointUri)
                    .doesNotHaveDuplicates();
        }
    }
}
