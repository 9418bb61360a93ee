package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.ComponentSettings;
import dev.caravan.base.settings.Settings;
import dev.caravan.camel.outbox.ReadyConnections;
import dev.caravan.database.Database;
import dev.caravan.relay.Relay;
import dev.caravan.routes.check.CheckResult;
import dev.caravan.routes.check.Configuration;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.camel.component.kafka.KafkaComponent;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.ResourceHelper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class YamlTest {
    private static final DataSource NEVER_ASKED =
            Database.unpooled("jdbc:postgresql://localhost:1/none", "none", "none");

    /** A block of a page. */
    record Example(DocsPage page, String yaml) {
        @Override
        public String toString() {
            return page.path() + ": " + yaml.lines().limit(2).reduce("", String::concat);
        }
    }

    static Stream<Example> examples() {
        return DocsPage.all().stream()
                .flatMap(page -> page.blocks("yaml").stream().map(yaml -> new Example(page, yaml)));
    }

    /** Those whose components the relay has. The others are tested by {@code ComponentRecipesIT}. */
    static Stream<Example> examplesOfTheRelay() {
        return examples()
                .filter(example -> !example.page.path().startsWith("docs/recipes")
                        || !example.page.text().contains("component add"));
    }

    @Test
    void the_pages_have_examples_of_routes() {
        assertThat(examples()).hasSizeGreaterThanOrEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource("examplesOfTheRelay")
    void the_routes_of_an_example_can_be_made_with_the_outbox_component(Example example, @TempDir Path folder)
            throws Exception {
        try (var camel = new DefaultCamelContext()) {
            var outbox = ReadyConnections.of(NEVER_ASKED);
            camel.addComponent("outbox", outbox);
            camel.getRegistry().bind("dataSource", NEVER_ASKED);
            Properties settings = settings(example.page);
            settings.keySet().removeIf(name -> name.toString().startsWith("camel.component.kafka."));
            if (example.page.writeTemplates(folder)) {
                settings.setProperty("caravan.routes", folder.toString());
            }
            camel.getPropertiesComponent().setInitialProperties(settings);
            ComponentSettings.set(camel, settings);
            camel.getComponent("kafka", KafkaComponent.class).getConfiguration().setBrokers("localhost:1");
            camel.setAutoStartup(false); // makes consumers and producers, and starts no route
            PluginHelper.getRoutesLoader(camel)
                    .loadRoutes(ResourceHelper.fromString("example.camel.yaml", example.yaml));

            camel.start();

            assertThat(camel.getRoutes()).isNotEmpty();
        }
    }

    /** In two folders, because routes of different recipes have the same id. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void check_accepts_the_routes_of_the_recipes(boolean batches, @TempDir Path folder) throws Exception {
        Map<String, String> settings = new HashMap<>(Map.of("caravan.routes", folder.toString()));
        List<Example> recipes = examplesOfTheRelay()
                .filter(example -> example.page.path().startsWith("docs/recipes")
                        && example.page.path().getFileName().toString().startsWith("batch-") == batches)
                .toList();
        for (int i = 0; i < recipes.size(); i++) {
            Files.writeString(folder.resolve(i + ".camel.yaml"), recipes.get(i).yaml);
            recipes.get(i).page.writeTemplates(folder);
            settings.putAll(recipes.get(i).page.properties());
        }

        try (var configuration =
                new Configuration(Settings.load(Path.of("application.properties"), settings), Relay.settings())) {
            assertThat(configuration.findings()).isNotEmpty().allMatch(CheckResult::ok);
        }
    }

    /** Those that are shipped, and those that README and the page tell to add. */
    private static Properties settings(DocsPage page) {
        var properties = new Properties();
        properties.putAll(Settings.load(
                        Path.of("application.properties"),
                        DocsPage.read("README.md").properties())
                .all());
        properties.putAll(page.properties());
        return properties;
    }
}
