package dev.caravan.camel.step;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
}
