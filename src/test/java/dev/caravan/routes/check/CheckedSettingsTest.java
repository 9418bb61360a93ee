package dev.caravan.routes.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.settings.Settings;
import dev.caravan.docs.DocsPage;
import dev.caravan.relay.Relay;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

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
}
