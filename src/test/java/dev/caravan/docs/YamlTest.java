package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.caravan.CamelYamlSchema;
import dev.caravan.database.Database;
import dev.caravan.outbox.OutboxComponent;
import dev.caravan.settings.Settings;
import java.nio.file.Path;
import java.util.Properties;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.camel.component.kafka.KafkaComponent;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.ResourceHelper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class YamlTest {
    private static final DataSource NEVER_ASKED =
            Database.unpooled("jdbc:postgresql://localhost:1/none", "none", "none");

    static Stream<String> examples() {
        return Page.all().stream().flatMap(page -> page.blocks("yaml").stream());
    }

    @Test
    void the_pages_have_examples_of_routes() {
        assertThat(examples()).hasSizeGreaterThanOrEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource("examples")
    void an_example_follows_the_schema_of_camels_yaml(String yaml) throws Exception {
        assertThat(CamelYamlSchema.problems(new YAMLMapper().readTree(yaml))).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("examples")
    void the_routes_of_an_example_can_be_made_with_the_outbox_component(String yaml) throws Exception {
        try (var camel = new DefaultCamelContext()) {
            var outbox = new OutboxComponent();
            outbox.setDataSource(NEVER_ASKED);
            camel.addComponent("outbox", outbox);
            camel.getComponent("kafka", KafkaComponent.class).getConfiguration().setBrokers("localhost:1");
            camel.getPropertiesComponent().setInitialProperties(settings());
            camel.setAutoStartup(false); // makes consumers and producers, and starts no route
            PluginHelper.getRoutesLoader(camel).loadRoutes(ResourceHelper.fromString("example.camel.yaml", yaml));

            camel.start();

            assertThat(camel.getRoutes()).isNotEmpty();
        }
    }

    /** Those that are shipped, and those that README tells to add. */
    private static Properties settings() {
        var properties = new Properties();
        properties.putAll(Settings.load(
                        Path.of("application.properties"),
                        Page.read("README.md").properties())
                .all());
        return properties;
    }
}
