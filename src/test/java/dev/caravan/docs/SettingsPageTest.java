package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.settings.SettingNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/configuration.md describes each setting as application.properties and the code do. */
class SettingsPageTest {
    private static final Pattern NAME_IN_CODE = Pattern.compile("(\\w*)\\(?\\s*\"(caravan(?:\\.[a-zA-Z]+)+)\"");
    private static final Pattern NUMBER_IN_CODE =
            Pattern.compile("\\.number\\(\\s*\"([^\"]+)\",\\s*([\\d_]+)L?,\\s*([\\d_]+)L?,\\s*([\\d_]+)L?\\)");
    private static final Pattern TIME_IN_CODE =
            Pattern.compile("\\.duration\\(\\s*\"([^\"]+)\",\\s*\"(\\w+)\",\\s*\"(\\w+)\",\\s*\"(\\w+)\"\\)");
    private static final Pattern FROM_ENVIRONMENT = Pattern.compile("\\{\\{env:(\\w+):(.*)}}");

    /** Name, environment variable, default, unit. */
    private final Map<String, List<String>> onPage = DocsPage.read("docs/configuration.md").rows("## Settings").stream()
            .collect(Collectors.toMap(row -> row.get(0), row -> row, (a, b) -> twice(a), TreeMap::new));

    private static List<String> twice(List<String> row) {
        throw new IllegalStateException(row.get(0) + " is on the page twice");
    }

    @Test
    void every_setting_is_on_the_page_and_nothing_else() throws IOException {
        Set<String> settings = new TreeSet<>(shipped().stringPropertyNames());
        settings.addAll(inCode());

        assertThat(onPage.keySet()).hasSameElementsAs(settings);
    }

    @Test
    void the_page_names_the_environment_variables_and_the_default_of_each_setting() throws IOException {
        Properties shipped = shipped();
        onPage.forEach((name, row) -> {
            String variables = SettingNames.variable(name);
            var older = FROM_ENVIRONMENT.matcher(shipped.getProperty(name, ""));
            if (older.matches()) {
                variables += ", " + older.group(1);
                assertThat(row.get(2)).as(name).isEqualTo(older.group(2));
            }
            assertThat(row.get(1).replace("`", "")).as(name).isEqualTo(variables);
        });
    }

    @Test
    void the_page_states_the_default_and_the_limits_of_each_number_and_time() throws IOException {
        List<MatchResult> numbers = sources().stream()
                .flatMap(source -> Stream.of(NUMBER_IN_CODE, TIME_IN_CODE)
                        .flatMap(pattern -> pattern.matcher(source).results()))
                .toList();

        assertThat(numbers).hasSizeGreaterThanOrEqualTo(2);
        for (MatchResult number : numbers) {
            assertThat(onPage).containsKey(number.group(1));
            List<String> row = onPage.get(number.group(1));
            assertThat(row.get(2)).as(number.group(1)).isEqualTo(plain(number.group(2)));
            assertThat(row.get(3))
                    .as(number.group(1))
                    .endsWith(plain(number.group(3)) + " to " + plain(number.group(4)));
        }
    }

    @Test
    void there_are_at_most_60_settings_and_options_of_a_relay() {
        Set<String> refused =
                Set.of("dataSource", "url", "user", "password", "schema", "schemaAuto", "schemaCheck", "presence");
        long all = Stream.of(
                        "## Settings",
                        "## Options of a subscription",
                        "## Options of `outbox:` as a destination",
                        "## Options of the component")
                .mapToLong(heading -> DocsPage.read("docs/configuration.md").rows(heading).stream()
                        .map(row -> row.get(0))
                        .filter(name -> name.matches("[\\w.]+") && !refused.contains(name))
                        .count())
                .sum();

        assertThat(all).isBetween(40L, 60L);
    }

    private static String plain(String number) {
        return number.replace("_", "");
    }

    private static Properties shipped() throws IOException {
        var shipped = new Properties();
        try (var reader = Files.newBufferedReader(Path.of("application.properties"))) {
            shipped.load(reader);
        }
        return shipped;
    }

    /** What the launcher passes in a system property ({@code getBoolean}, {@code getInteger}) is not a setting. */
    private static Set<String> inCode() throws IOException {
        return sources().stream()
                .flatMap(source -> NAME_IN_CODE.matcher(source).results())
                .filter(name -> !name.group(1).matches("getBoolean|getInteger"))
                .map(name -> name.group(2))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<String> sources() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(SettingsPageTest::read)
                    .toList();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
