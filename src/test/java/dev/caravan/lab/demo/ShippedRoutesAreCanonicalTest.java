package dev.caravan.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.caravan.CamelYamlSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ShippedRoutesAreCanonicalTest {
    static Stream<Path> files() throws IOException {
        try (Stream<Path> routes = Files.list(Path.of("routes"));
                Stream<Path> builtIn = Files.list(Path.of("src/main/resources/built-in"));
                Stream<Path> examples = Files.walk(Path.of("examples"))) {
            return Stream.of(routes, builtIn, examples)
                    .flatMap(files -> files)
                    .filter(file -> file.toString().endsWith(".camel.yaml"))
                    .toList()
                    .stream();
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void a_route_file_follows_the_schema_of_camels_yaml_and_says_what_it_is_for(Path path) throws IOException {
        JsonNode yaml = new YAMLMapper().readTree(path.toFile());

        assertThat(CamelYamlSchema.problems(yaml)).isEmpty();
        assertThat(Files.readString(path)).startsWith("# ");
        assertThat(yaml.findValue("description").asText()).isNotBlank();
    }
}
