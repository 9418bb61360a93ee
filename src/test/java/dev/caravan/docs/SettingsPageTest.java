package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.settings.SettingNames;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.operate.housekeeping.HousekeepingSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/configuration.md describes each setting as application.properties and the code do. */
class SettingsPageTest {
    private static final Pattern NAME_IN_CODE = Pattern.compile("(\\w*)\\(?\\s*\"(caravan(?:\\.[a-zA-Z]+)+)\"");
    private static final Pattern LIMITS = Pattern.compile("(\\w+) to (\\w+)$");
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
    void the_page_states_the_default_and_the_limits_of_each_number_and_time() {
        assertThat(limits(onPage.values(), 2, 3, HousekeepingSettings::from)).isEqualTo(4);
        assertThat(limits(
                        DocsPage.read("docs/configuration.md").rows("## Options of the component"),
                        1,
                        2,
                        options -> HousekeepingSettings.ofOptions(options.all())))
                .isEqualTo(4);
    }

    /** The number of rows whose default and limits are those that the parser has. */
    private static int limits(
            Collection<List<String>> rows, int ofDefault, int ofUnit, Function<Settings, HousekeepingSettings> parser) {
        int checked = 0;
        for (List<String> row : rows) {
            String name = row.get(0);
            Matcher limits = LIMITS.matcher(row.get(ofUnit));
            if (!limits.find() || !isRead(name, parser)) {
                continue;
            }
            assertThat(parser.apply(Settings.of(Map.of(name, row.get(ofDefault)))))
                    .as(name)
                    .isEqualTo(parser.apply(Settings.of(Map.of())));
            assertThatThrownBy(() -> parser.apply(Settings.of(Map.of(name, "none"))))
                    .hasMessageContainingAll(name, " " + limits.group(1) + " ", " " + limits.group(2) + ",");
            checked++;
        }
        return checked;
    }

    private static boolean isRead(String name, Function<Settings, HousekeepingSettings> parser) {
        try {
            parser.apply(Settings.of(Map.of(name, "none")));
            return false;
        } catch (SettingsException e) {
            return true;
        }
    }

    @Test
    void there_are_at_most_61_settings_and_options_of_a_relay() {
        Set<String> ofApplications = Set.of(
                "dataSource",
                "url",
                "user",
                "password",
                "schema",
                "schemaAuto",
                "schemaCheck",
                "presence",
                "errorHandling",
                "housekeeping",
                "monitoring",
                "partitionSize",
                "retention",
                "idempotentRetention",
                "discardedRetention",
                "auditRetention");
        long all = Stream.of(
                        "## Settings",
                        "## Options of a subscription",
                        "## Options of `outbox:` as a destination",
                        "## Options of the component")
                .mapToLong(heading -> DocsPage.read("docs/configuration.md").rows(heading).stream()
                        .map(row -> row.get(0))
                        .filter(name -> name.matches("[\\w.]+") && !ofApplications.contains(name))
                        .count())
                .sum();

        assertThat(all).isBetween(40L, 61L);
    }

    private static Properties shipped() throws IOException {
        var shipped = new Properties();
        try (var reader = Files.newBufferedReader(Path.of("application.properties"))) {
            shipped.load(reader);
        }
        return shipped;
    }

    /** What the launcher passes in a system property ({@code getBoolean}, {@code getInteger}) is not a setting. */
    private static Set<String> inCode() {
        return DocsPage.below("src/main/java", ".java").stream()
                .flatMap(source -> NAME_IN_CODE.matcher(source.text()).results())
                .filter(name -> !name.group(1).matches("getBoolean|getInteger"))
                .map(name -> name.group(2))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
