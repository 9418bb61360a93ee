package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page about tests of routes shows parts of the example, which the build runs. */
class TestingRoutesTest {
    private static final Path EXAMPLE = Path.of("examples/testing");

    @Test
    void each_block_of_java_is_part_of_the_example() throws IOException {
        Path tests = EXAMPLE.resolve("src/test/java/example");
        assertParts(
                "java",
                tests.resolve("OrderRoutesTest.java"),
                tests.resolve("OrderMocksTest.java"),
                tests.resolve("OrderMailTest.java"));
    }

    @Test
    void the_dependency_is_that_of_the_example() throws IOException {
        assertParts("xml", EXAMPLE.resolve("pom.xml"));
    }

    private static void assertParts(String language, Path... files) throws IOException {
        StringBuilder example = new StringBuilder();
        for (Path file : files) {
            example.append(withoutSpaces(Files.readString(file)));
        }
        List<String> blocks = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("docs/testing-routes.md")))
                .results()
                .map(block -> withoutSpaces(block.group(1)))
                .toList();
        assertThat(blocks).isNotEmpty().allSatisfy(block -> assertThat(example).contains(block));
    }

    private static String withoutSpaces(String text) {
        return text.replaceAll("\\s+", "");
    }
}
