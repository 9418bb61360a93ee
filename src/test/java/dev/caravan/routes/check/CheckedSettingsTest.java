package dev.caravan.routes.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.settings.Settings;
import dev.caravan.docs.DocsPage;
import dev.caravan.relay.Relay;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckedSettingsTest {
    @Test
    void every_setting_of_the_page_is_known() {
        Map<String, String> all = DocsPage.read("docs/configuration.md").rows("## Settings").stream()
                .map(row -> row.get(0))
                .filter(name -> name.startsWith("caravan."))
                .collect(Collectors.toMap(name -> name, name -> ""));

        assertThat(CheckedSettings.findings(Settings.load(Path.of("none.properties"), all), Relay.settings()))
                .allMatch(finding -> !finding.toString().contains("not a known setting"));
    }

    @Test
    void a_setting_that_is_set_twice_is_pointed_out(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("application.properties"), """
                caravan.retention = 7d
                caravan.retention = 8d
                """);

        assertThat(CheckedSettings.findings(Settings.load(file, Map.of()), Relay.settings()))
                .anySatisfy(finding -> assertThat(finding)
                        .isEqualTo(CheckResult.hint(
                                "settings",
                                "caravan.retention",
                                "is set more than once in application.properties: lines 1, 2. The last value is used."
                                        + " Remove the others")));
    }

    @Test
    void a_connection_factory_that_keeps_producers_is_pointed_out() {
        Map<String, String> settings = new HashMap<>();
        for (String name : List.of("camel.beans.a", "camel.beans.b", "camel.component.amqp.connectionFactory")) {
            settings.put(name, "#class:org.springframework.jms.connection.CachingConnectionFactory");
        }
        settings.put("camel.beans.b.cacheProducers", "false");

        assertThat(CheckedSettings.findings(Settings.of(settings), Relay.settings()))
                .filteredOn(finding -> finding.text().contains("cacheProducers"))
                .extracting(CheckResult::name)
                .containsExactlyInAnyOrder("camel.beans.a", "camel.component.amqp.connectionFactory");
    }
}
