package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page about tests names, for everything that is promised, tests that exist, at the level that they have. */
class TestLevelsTest {
    private static final Path TIMES = Path.of(".ci/times.tsv");
    private static final double MOST_PROCESSOR_SECONDS = 8;

    private static final Pattern ROW = Pattern.compile("(?m)^\\| (.+?) \\| (.*?) \\| (.*?) \\|$");
    private static final Pattern TEST = Pattern.compile("`(\\w+)(?:#(\\w+))?`");
    private static final Pattern LONG_CLASS = Pattern.compile("(?m)^@Tag\\(\"long\"\\)");
    private static final Pattern LONG = Pattern.compile("@(Arch)?Tag\\(\"long\"\\)");
    private static final Pattern NAME = Pattern.compile("`([^`]+)`");
    private static final Pattern PROMISE = Pattern.compile("(?m)^### (\\d+)\\. ");

    private static final DocsPage PAGE = DocsPage.read("docs/tests.md");
    private static final Map<String, String> SOURCES = DocsPage.sources("src/test/java");

    /** What is proved, and the tests of the build level and of the level long that prove it. */
    private record Row(String subject, String build, String onlyLong) {}

    private static List<Row> rows() {
        return ROW.matcher(PAGE.text())
                .results()
                .map(row -> new Row(row.group(1), row.group(2), row.group(3)))
                .filter(row ->
                        !row.subject().equals("subject") && !row.subject().startsWith("---"))
                .toList();
    }

    @Test
    void each_test_on_the_page_exists() {
        assertThat(rows()).isNotEmpty();
        assertThat(rows().stream()
                        .flatMap(row ->
                                TEST.matcher(row.build() + row.onlyLong()).results())
                        .filter(test -> !exists(test.group(1), test.group(2)))
                        .map(test -> test.group()))
                .isEmpty();
    }

    private static boolean exists(String type, String method) {
        String source = SOURCES.get(type);
        return source != null && (method == null || source.contains(" " + method + "("));
    }

    @Test
    void a_test_has_the_level_of_its_column() {
        List<String> wrong = new ArrayList<>();
        for (Row row : rows()) {
            TEST.matcher(row.build())
                    .results()
                    .filter(test -> isLong(test.group(1), test.group(2)))
                    .forEach(test -> wrong.add(test.group() + " is tagged long, and stands in the column build"));
            TEST.matcher(row.onlyLong())
                    .results()
                    .filter(test -> !LONG.matcher(source(test.group(1))).find())
                    .forEach(test -> wrong.add(test.group() + " has no tag long, and stands in the column long"));
        }
        assertThat(wrong).isEmpty();
    }

    private static boolean isLong(String type, String method) {
        String source = source(type);
        return LONG_CLASS.matcher(source).find()
                || method != null && LONG.matcher(annotations(source, method)).find();
    }

    /** What stands before a method, down from the blank line above it. */
    private static String annotations(String source, String method) {
        String before = source.substring(0, source.indexOf(" " + method + "("));
        return before.substring(before.lastIndexOf("\n\n"));
    }

    private static String source(String type) {
        return SOURCES.getOrDefault(type, "");
    }

    @Test
    void each_promise_has_a_test_of_the_build_level() {
        PROMISE.matcher(DocsPage.read("docs/guarantees.md").text())
                .results()
                .map(promise -> promise.group(1) + ". ")
                .forEach(promise -> assertThat(provedByTheBuild())
                        .as("promise %s", promise)
                        .anyMatch(subject -> subject.startsWith(promise)));
    }

    @Test
    void each_command_has_a_test_of_the_build_level() throws ReflectiveOperationException {
        assertThat(namedIn(provedByTheBuild()))
                .containsAll(CommandsTest.leaves("", CommandsTest.caravan()).stream()
                        .map(String::strip)
                        .toList());
    }

    @Test
    void each_recipe_and_each_example_has_a_test() throws IOException {
        try (Stream<Path> recipes = Files.list(Path.of("docs/recipes"));
                Stream<Path> examples = Files.list(Path.of("examples"))) {
            assertThat(namedIn(rows().stream().map(Row::subject).collect(Collectors.toSet())))
                    .containsAll(Stream.concat(recipes, examples.filter(Files::isDirectory))
                            .map(file -> file.getFileName().toString().replace(".md", ""))
                            .filter(name -> !name.equals("README"))
                            .toList());
        }
    }

    private static Set<String> namedIn(Set<String> subjects) {
        return subjects.stream()
                .flatMap(subject -> NAME.matcher(subject).results())
                .map(name -> name.group(1))
                .collect(Collectors.toSet());
    }

    private static Set<String> provedByTheBuild() {
        return rows().stream()
                .filter(row -> TEST.matcher(row.build()).find())
                .map(Row::subject)
                .collect(Collectors.toSet());
    }

    @Test
    void a_class_of_the_build_level_that_uses_much_processor_time_has_a_reason() throws IOException {
        Set<String> costly = new TreeSet<>();
        for (String line : Files.readAllLines(TIMES)) {
            String[] cells = line.split("\t");
            String type = cells[0].substring(cells[0].lastIndexOf('.') + 1);
            if (Double.parseDouble(cells[2]) > MOST_PROCESSOR_SECONDS
                    && !LONG_CLASS.matcher(source(type)).find()) {
                costly.add(type);
            }
        }
        assertThat(PAGE.rows("## Costly tests of the build level").stream().map(row -> row.get(0)))
                .containsAll(costly);
    }
}
