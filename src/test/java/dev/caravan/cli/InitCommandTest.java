package dev.caravan.cli;

import static dev.caravan.test.TestMessage.read;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.routes.draft.Destination;
import dev.caravan.routes.draft.Question;
import dev.caravan.test.RouteTest;
import dev.caravan.test.RouteTestBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InitCommandTest {
    private static final Pattern PROPERTY = Pattern.compile("\\.property\\(\"([^\"]+)\", \"([^\"]+)\"\\)");

    @TempDir
    Path folder;

    private CommandRun init(String... options) {
        return CommandRun.of(List.of("init", folder.resolve("my-relay").toString()), options);
    }

    private String text(String file) throws IOException {
        return Files.readString(folder.resolve("my-relay").resolve(file));
    }

    @Test
    void the_folder_has_what_a_team_commits() throws Exception {
        assertThat(init().assertDone("check: ok  orders-to-file.camel.yaml: 1 route", "Next: cd ")
                        .out())
                .doesNotContain("Still missing");
        try (Stream<Path> files = Files.walk(folder.resolve("my-relay"))) {
            assertThat(files.filter(Files::isRegularFile)
                            .map(file ->
                                    folder.resolve("my-relay").relativize(file).toString()))
                    .containsExactlyInAnyOrder(
                            ".gitignore",
                            ".schema/camelYamlDsl.json",
                            "README.md",
                            "application.properties",
                            "pom.xml",
                            "routes/orders-to-file.camel.yaml",
                            "routes/samples/order.created.json",
                            "src/test/java/RoutesTest.java");
        }
        assertThat(text("README.md").lines()).hasSizeLessThanOrEqualTo(10).contains("# my-relay");
        assertThat(text("README.md") + text("src/test/java/RoutesTest.java") + text("application.properties"))
                .doesNotContainPattern("@[a-z]+@");
    }

    @Test
    void its_pom_is_that_of_the_example() throws Exception {
        init();

        assertThat(folder.resolve("my-relay/pom.xml")).hasSameTextualContentAs(Path.of("examples/testing/pom.xml"));
    }

    /** Does what the written test does, for each destination whose component is here. */
    @ParameterizedTest
    @EnumSource
    void the_written_test_passes(Destination destination) throws Exception {
        if (destination.component().isPresent()) {
            return;
        }
        List<String> options = new ArrayList<>(List.of("--to", destination.id(), "--type", "order.*"));
        if (destination.questions().contains(Question.URL)) {
            options.addAll(List.of("--url", "https://example.com/orders"));
        }
        if (destination.questions().contains(Question.FROM)) {
            options.addAll(List.of("--from", destination == Destination.SMS ? "+15005550006" : "shop@example.com"));
        }
        if (destination.questions().contains(Question.TABLE)) {
            options.addAll(List.of("--table", "sent_orders"));
        }

        CommandRun run = init(options.toArray(String[]::new));

        assertThat(run.err()).isEmpty();
        RouteTestBuilder builder =
                RouteTest.of(folder.resolve("my-relay/routes/orders-to-" + destination.id() + ".camel.yaml")
                        .toString());
        PROPERTY.matcher(text("src/test/java/RoutesTest.java"))
                .results()
                .forEach(property -> builder.property(property.group(1), property.group(2)));
        try (RouteTest routes = builder.build()) {
            routes.send(read(folder.resolve("my-relay/routes/samples/order.created.json")
                                    .toString())
                            .get(0))
                    .assertDelivered();
        }
    }

    @Test
    void nothing_is_overwritten_and_all_that_exists_is_named() throws Exception {
        Path root = Files.createDirectory(folder.resolve("my-relay"));
        Files.writeString(root.resolve("README.md"), "mine");
        Files.writeString(root.resolve(".gitignore"), "mine");

        init().assertFailed(root.resolve(".gitignore") + ", " + root.resolve("README.md")
                + " already exist. Nothing was written");
        assertThat(root).isDirectoryNotContaining("glob:**pom.xml");
        assertThat(root.resolve("README.md")).hasContent("mine");
    }

    @Test
    void what_is_wrong_is_named_and_nothing_is_written() throws Exception {
        Files.createFile(folder.resolve("file"));

        assertThat(init("--to", "kafak").err()).contains("did you mean kafka?");
        assertThat(init("--to", "http").err()).contains("Missing option: --url");
        assertThat(init("--name", "A/B").err()).contains("must consist of lower-case letters");
        assertThat(CommandRun.of("init").err()).contains("Missing required parameter: 'FOLDER'");
        assertThat(CommandRun.of("init", folder.resolve("file").toString()).err())
                .contains("file is not a folder");
        assertThat(folder.resolve("my-relay")).doesNotExist();
    }
}
