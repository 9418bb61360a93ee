package dev.caravan.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.caravan.CamelYamlSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShippedRoutesAreCanonicalTest {
    @ParameterizedTest
    @ValueSource(strings = {"orders-to-kafka", "booking-sms", "customer-email", "error-handling", "dead-letter"})
    void a_route_file_follows_the_schema_of_camels_yaml_and_says_what_it_is_for(String file) throws IOException {
        Path path = Path.of("routes", file + ".camel.yaml");
        JsonNode yaml = new YAMLMapper().readTree(path.toFile());

        assertThat(CamelYamlSchema.problems(yaml)).isEmpty();
        assertThat(Files.readString(path)).startsWith("# ");
        assertThat(yaml.findValue("description").asText()).isNotBlank();
    }
}
