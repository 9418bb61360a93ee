package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The pages about the architecture and the specification name packages, classes and methods that exist, and packages stay small. */
class ArchitecturePageTest {
    private static final Path CODE = Path.of("src/main/java/dev/caravan");
    private static final Path LABORATORY = Path.of("src/lab/java/dev/caravan/lab");
    private static final Path KIT = Path.of("src/kit/java/dev/caravan/test");
    private static final int MOST_FILES = 25;
    private static final int MOST_LINES = 300;
    /** More lines, because test cases are read one at a time. */
    private static final int MOST_LINES_OF_TESTS = 450;

    private static final Map<String, String> LONG_FOR_A_REASON =
            Map.of("Lane", "one lock guards its parts, so that all that two threads share is asked for there");

    private static final Pattern PACKAGES = Pattern.compile("^\\| (`[^|]*`) \\|", Pattern.MULTILINE);
    private static final Pattern PACKAGE = Pattern.compile("`([a-z.]+)`");
    private static final Pattern CODE_NAME = Pattern.compile("`([A-Z]\\w+(?:\\.\\w+)?)`");
    private static final Pattern SECOND_CELL = Pattern.compile("(?m)^\\|[^|]*\\|([^|]*)\\|");

    @Test
    void the_page_lists_each_package() throws IOException {
        assertThat(packagesListed("## Packages", "## Packages of the laboratory"))
                .containsExactlyElementsOf(packagesIn(CODE));
        assertThat(packagesListed("## Packages of the laboratory", "## The path of a message"))
                .containsExactlyElementsOf(packagesIn(LABORATORY));
    }

    @Test
    void each_class_and_method_on_the_pages_exists() throws IOException {
        Map<String, String> sources = new HashMap<>();
        try (Stream<Path> files = Files.walk(Path.of("src"))) {
            for (Path file :
                    files.filter(file -> file.toString().endsWith(".java")).toList()) {
                sources.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
            }
        }

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

    /** Each command is a class of its own, so {@code cli} may have as many as there are commands. */
    @ParameterizedTest
    @MethodSource("allPackages")
    void a_package_has_few_files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.filter(Files::isRegularFile).filter(file -> !folder.endsWith("cli")))
                    .hasSizeLessThanOrEqualTo(MOST_FILES);
        }
    }

    @Test
    void a_file_is_short_or_has_a_reason() throws IOException {
        assertThat(longerThan(MOST_LINES, CODE)).containsExactlyInAnyOrderElementsOf(LONG_FOR_A_REASON.keySet());
        assertThat(longerThan(MOST_LINES, LABORATORY)).isEmpty();
        assertThat(longerThan(MOST_LINES, KIT)).isEmpty();
        assertThat(longerThan(MOST_LINES_OF_TESTS, Path.of("src/test/java"))).isEmpty();
    }

    private static Set<String> longerThan(int lines, Path folder) throws IOException {
        Set<String> longFiles = new TreeSet<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (Files.readAllLines(file).size() > lines) {
                    longFiles.add(file.getFileName().toString().replace(".java", ""));
                }
            }
        }
        return longFiles;
    }

    /** Those of the relay, the laboratory and the kit, and the packages in them. */
    static Stream<Path> allPackages() throws IOException {
        return Stream.of(foldersIn(CODE), foldersIn(LABORATORY), foldersIn(KIT)).flatMap(List::stream);
    }

    private static List<Path> foldersIn(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isDirectory).toList();
        }
    }

    private static Set<String> packagesIn(Path folder) throws IOException {
        return foldersIn(folder).stream()
                .filter(each -> !each.equals(folder))
                .map(each -> folder.relativize(each).toString().replace('/', '.'))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> packagesListed(String from, String to) throws IOException {
        return PACKAGES.matcher(section(from, to))
                .results()
                .flatMap(row -> PACKAGE.matcher(row.group(1)).results())
                .map(name -> name.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String section(String from, String to) throws IOException {
        String page = page();
        return page.substring(page.indexOf(from), page.indexOf(to));
    }

    private static String page() throws IOException {
        return Files.readString(Path.of("docs/architecture.md"));
    }
}
