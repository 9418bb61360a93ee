package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.caravan.CamelYamlSchema;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** All routes in YAML that are shipped or on a page: Camel deprecates the compact notation. */
class CanonicalYamlTest {
    private static final List<String> FOLDERS = List.of("routes", "examples", "k8s", "src/main/resources", "docs");

    /** In a draft for {@code new}, answers take the places of {@code @…@}. */
    static Stream<DocsPage> files() {
        return FOLDERS.stream()
                .flatMap(folder -> DocsPage.below(folder, ".camel.yaml").stream())
                .map(file -> new DocsPage(file.path(), file.text().replaceAll("@\\w+(\\|json)?@", "x")));
    }

    static Stream<YamlTest.Example> all() {
        return Stream.concat(files().map(file -> new YamlTest.Example(file, file.text())), YamlTest.examples());
    }

    private static JsonNode parsed(String yaml) throws IOException {
        return new YAMLMapper().readTree(yaml);
    }

    @ParameterizedTest
    @MethodSource("all")
    void routes_are_canonical(YamlTest.Example example) throws IOException {
        assertThat(CamelYamlSchema.problems(parsed(example.yaml()))).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("files")
    void a_route_file_says_what_it_is_for(DocsPage file) throws IOException {
        assertThat(file.text()).startsWith("# ");
        assertThat(parsed(file.text()).findValue("description") != null
                        || file.toString().contains("/new/"))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "to: kafka:orders",
                "setBody: {simple: {expression: x}}",
                "setBody: {expression: {simple: x}}",
                "setHeader: {name: x, constant: x}",
                "log: x",
                "removeHeaders: x",
            })
    void the_compact_notation_is_found(String step) throws IOException {
        String route = "[{route: {from: {uri: \"direct:a\", steps: [{%s}]}}}]".formatted(step);

        assertThat(CamelYamlSchema.problems(parsed(route))).isNotEmpty();
    }

    @Test
    void a_route_without_route_is_found() throws IOException {
        assertThat(CamelYamlSchema.problems(parsed("[{from: {uri: \"direct:a\", steps: []}}]")))
                .isNotEmpty();
    }
}
