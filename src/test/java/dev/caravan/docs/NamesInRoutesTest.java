package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Users copy route files, examples and pages, so these name only classes of Caravan that are public and exist. */
class NamesInRoutesTest {
    private static final List<Path> PLACES = Stream.of(
                    "README.md", "docs", "examples", "k8s", "routes", "src/dist", "src/main/resources")
            .map(Path::of)
            .toList();

    /** Pages for people who change Caravan, and registrations and logging that only Caravan's own jar has. */
    private static final List<Path> NOT_COPIED = Stream.of(
                    "docs/architecture.md",
                    "docs/decisions",
                    "docs/spec",
                    "src/main/resources/META-INF",
                    "src/main/resources/logback.xml")
            .map(Path::of)
            .toList();

    private static final Path BUILT = Path.of("target");

    /** Main classes, which commands name. */
    private static final Set<String> PROGRAMS = Set.of("dev.caravan.cli.Caravan", "dev.caravan.lab.image.ImageArchive");

    private static final Pattern CLASS = Pattern.compile("\\bdev\\.caravan(?:\\.[a-z]\\w*)*\\.[A-Z]\\w*");

    @Test
    void each_class_that_users_read_of_is_public_and_exists() throws IOException {
        Map<String, Set<Path>> names = names();

        assertThat(names).isNotEmpty();
        assertThat(names.entrySet().stream()
                        .map(name -> problem(name.getKey()) + name.getValue())
                        .filter(problem -> !problem.startsWith("[")))
                .as(
                        "Other classes may move at any time, and copies of these files would break. Public packages: %s. A class"
                                + " that route files need stands in dev.caravan.camel and in docs/public-api/java.txt",
                        new TreeSet<>(JavaApi.PACKAGES))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dev.caravan.camel.MailAddress              | ''",
                "dev.caravan.cli.Caravan                    | ''",
                "dev.caravan.camel.email.EmailEndpoint      | 'dev.caravan.camel.email.EmailEndpoint is internal: '",
                "dev.caravan.camel.Missing                  | 'dev.caravan.camel.Missing does not exist: '",
                "dev.caravan.email.MailAddress              | 'dev.caravan.email.MailAddress does not exist: '"
            })
    void tells_public_names_from_others(String name, String problem) {
        assertThat(problem(name)).isEqualTo(problem);
    }

    /** What is wrong with the name of a class; empty if nothing is. */
    private static String problem(String name) {
        try {
            Class<?> named = Class.forName(name, false, JavaApi.class.getClassLoader());
            return PROGRAMS.contains(name) || JavaApi.isForUsers(named) ? "" : name + " is internal: ";
        } catch (ClassNotFoundException e) {
            return name + " does not exist: ";
        }
    }

    /** The names of Caravan's classes, each with the files that contain it. */
    private static Map<String, Set<Path>> names() throws IOException {
        Map<String, Set<Path>> names = new TreeMap<>();
        for (Path place : PLACES) {
            try (Stream<Path> files = Files.walk(place)) {
                files.filter(NamesInRoutesTest::isForUsers).forEach(file -> CLASS.matcher(text(file))
                        .results()
                        .map(MatchResult::group)
                        .forEach(name -> names.computeIfAbsent(name, any -> new TreeSet<>())
                                .add(file)));
            }
        }
        return names;
    }

    private static boolean isForUsers(Path file) {
        for (Path part : file) {
            if (part.equals(BUILT)) {
                return false;
            }
        }
        return Files.isRegularFile(file) && NOT_COPIED.stream().noneMatch(file::startsWith);
    }

    /** Of pictures, too: each byte is a character. */
    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
