package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The pages about the architecture and the specification name packages, classes and methods that exist. */
class ArchitecturePageTest {
    private static final Path CODE = Path.of("src/main/java/dev/caravan");
    private static final Pattern PACKAGE = Pattern.compile("`?([a-z]+)`?");
    private static final Pattern CODE_NAME = Pattern.compile("`([A-Z]\\w+(?:\\.\\w+)?)`");
    private static final Pattern SECOND_CELL = Pattern.compile("(?m)^\\|[^|]*\\|([^|]*)\\|");

    @Test
    void the_page_lists_each_room_with_its_packages() throws IOException {
        for (List<String> room : DocsPage.read("docs/architecture.md").rows("## Rooms")) {
            assertThat(PACKAGE.matcher(room.get(2).replace("itself, ", "").replace("itself", ""))
                            .results()
                            .map(name -> name.group(1)))
                    .as(room.get(0))
                    .containsExactlyInAnyOrderElementsOf(foldersIn(CODE.resolve(room.get(0))));
        }
        assertThat(DocsPage.read("docs/architecture.md").rows("## Rooms").stream()
                        .map(room -> room.get(0)))
                .containsExactlyInAnyOrderElementsOf(foldersIn(CODE));
    }

    private static List<String> foldersIn(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(Files::isDirectory)
                    .map(each -> each.getFileName().toString())
                    .toList();
        }
    }

    @Test
    void each_class_and_method_on_the_pages_exists() throws IOException {
        Map<String, String> sources = DocsPage.sources("src");

        assertThat(CODE_NAME
                        .matcher(page() + codeInTheSpecification())
                        .results()
                        .map(name -> name.group(1)))
                .isNotEmpty()
                .allMatch(name -> exists(name.split("\\."), sources));
    }

    /** @param name a class, perhaps with a method */
    private static boolean exists(String[] name, Map<String, String> sources) {
        String source = sources.get(name[0]);
        return source != null
                && Pattern.compile("\\b" + name[name.length - 1] + "\\b")
                        .matcher(source)
                        .find();
    }

    /** The second columns of the tables that relate the specification to the code. */
    private static String codeInTheSpecification() {
        String page = DocsPage.read("docs/spec/README.md").text();
        return SECOND_CELL
                .matcher(page.substring(page.indexOf("## Rules"), page.indexOf("## Not modeled")))
                .results()
                .map(cell -> cell.group(1))
                .collect(Collectors.joining());
    }

    private static String page() throws IOException {
        return Files.readString(Path.of("docs/architecture.md"));
    }
}
