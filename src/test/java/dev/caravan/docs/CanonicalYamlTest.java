package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.caravan.CamelYamlSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** All routes in YAML that are shipped or on a page: Camel deprecates the compact notation. */
class CanonicalYamlTest {
    private static final List<String> FOLDERS = List.of("routes", "examples", "k8s", "src/main/resources", "docs");

    /** A file, or a block of a page. */
    record Yaml(String place, String text) {
        @Override
        public String toString() {
            return place;
        }

        JsonNode parsed() throws IOException {
            return new YAMLMapper().readTree(text);
        }
    }

    static Stream<Yaml> files() {
        return FOLDERS.stream().map(Path::of).flatMap(CanonicalYamlTest::in);
    }

    private static Stream<Yaml> in(Path folder) {
        try (Stream<Path> all = Files.walk(folder)) {
            return all
                    .filter(file -> file.toString().endsWith(".camel.yaml"))
                    .map(CanonicalYamlTest::read)
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** In a draft for {@code new}, answers take the places of {@code @…@}. */
    private static Yaml read(Path file) {
        try {
            return new Yaml(file.toString(), Files.readString(file).replaceAll("@\\w+(\\|json)?@", "x"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Stream<Yaml> all() {
        Stream<Yaml> blocks = DocsPage.all().stream().flatMap(page -> page.blocks("yaml").stream()
                .map(text -> new Yaml(page.path() + ": " + text.lines().limit(2).reduce("", String::concat), text)));
        return Stream.concat(files(), blocks);
    }

    @ParameterizedTest
    @MethodSource("all")
    void routes_are_canonical(Yaml yaml) throws IOException {
        assertThat(CamelYamlSchema.problems(yaml.parsed())).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("files")
    void a_route_file_says_what_it_is_for(Yaml file) throws IOException {
        assertThat(file.text).startsWith("# ");
        assertThat(file.parsed().findValue("description") != null || file.place.contains("/new/"))
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

        assertThat(CamelYamlSchema.problems(new YAMLMapper().readTree(route))).isNotEmpty();
    }

    @Test
    void a_route_without_route_is_found() throws IOException {
        assertThat(CamelYamlSchema.problems(new YAMLMapper().readTree("[{from: {uri: \"direct:a\", steps: []}}]")))
                .isNotEmpty();
    }
}
