package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page about embedding shows parts of the examples, which the build runs. */
class EmbeddingPageTest {
    private static final Path EXAMPLES = Path.of("examples");
    private static final Path SPRING_BOOT = EXAMPLES.resolve("spring-boot");
    private static final int MOST_LINES = 25;

    private static final DocsPage PAGE = DocsPage.read("docs/embedding.md");

    @Test
    void the_code_of_the_page_is_that_of_the_example() throws IOException {
        String application = withoutSpaces(read("pom.xml") + read("src/main/java/example/OrderRoutes.java"));
        assertThat(PAGE.blocks("java")).isNotEmpty();
        assertThat(PAGE.blocks("xml")).isNotEmpty();
        assertThat(List.of(PAGE.blocks("java"), PAGE.blocks("xml"))).allSatisfy(blocks -> assertThat(blocks)
                .allSatisfy(block -> assertThat(application).contains(withoutSpaces(block))));
    }

    /** What a person adds to an application of Camel Spring Boot that has no database and no Kafka yet. */
    @Test
    void from_the_table_to_kafka_an_application_needs_at_most_25_lines() throws IOException {
        List<String> lines = Stream.of(
                        dependency("caravan-outbox"),
                        dependency("camel-kafka-starter"),
                        read("src/main/resources/application.yaml").split("\n# not needed to deliver")[0],
                        read("src/main/java/example/OrderRoutes.java"))
                .flatMap(String::lines)
                .filter(line -> !line.isBlank())
                .toList();

        assertThat(lines).hasSizeLessThanOrEqualTo(MOST_LINES);
        assertThat(read("README.md")).contains(lines.size() + " lines");
    }

    @ParameterizedTest
    @ValueSource(strings = {"embedded-main", "spring-boot", "quarkus"})
    void an_example_uses_this_version(String example) throws IOException {
        assertThat(first(
                        "<caravan.version>(.*?)<",
                        Files.readString(EXAMPLES.resolve(example).resolve("pom.xml"))))
                .isEqualTo(first("<version>(.*?)<", Files.readString(Path.of("pom.xml"))));
    }

    private static String dependency(String artifact) throws IOException {
        return first(
                "( *<dependency>\\s+<groupId>[\\w.]+</groupId>\\s+<artifactId>" + artifact
                        + "</artifactId>.*?</dependency>)",
                read("pom.xml"));
    }

    private static String first(String pattern, String text) {
        Matcher found = Pattern.compile(pattern, Pattern.DOTALL).matcher(text);
        assertThat(found.find()).as(pattern).isTrue();
        return found.group(1);
    }

    private static String read(String file) throws IOException {
        return Files.readString(SPRING_BOOT.resolve(file));
    }

    private static String withoutSpaces(String text) {
        return text.replaceAll("\\s+", "");
    }
}
