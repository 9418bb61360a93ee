package dev.caravan.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.routes.context.CamelSettings;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CamelSettingsTest {
    @Test
    void what_is_not_set_has_the_default_of_the_relay() {
        assertThat(CamelSettings.of(Map.of("camel.health.exposureLevel", "", "mine", "")))
                .containsEntry("camel.health.exposureLevel", "full")
                .containsEntry("camel.main.jmxEnabled", "false")
                .containsEntry("mine", "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"camel.main.jmxEnabled", "camel.main.jmx-enabled", "camel.main.jmxenabled"})
    void a_setting_overrides_the_default_however_it_is_written(String name) {
        assertThat(CamelSettings.of(Map.of(name, "true")))
                .containsEntry(name, "true")
                .doesNotContainEntry("camel.main.jmxEnabled", "false");
    }
}
