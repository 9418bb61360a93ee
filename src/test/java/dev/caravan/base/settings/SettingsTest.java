package dev.caravan.base.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {
    @TempDir
    Path folder;

    private Path file;
    private Path routes;

    @BeforeEach
    void create() throws IOException {
        file = folder.resolve("application.properties");
        routes = Files.createDirectory(folder.resolve("routes"));
        Files.writeString(file, "");
    }

    @Test
    void a_name_that_a_file_sets_twice_is_named_with_its_lines_and_without_its_values() throws IOException {
        Files.writeString(file, """
                caravan.db.user = secret-1
                other = a \\
                  caravan.db.user = b
                # caravan.db.user = c
                caravan.db.user=secret-2
                caravan.db.password:
                """);
        Files.writeString(routes.resolve("shop.properties"), "shop.url = a\nshop.url b\n");

        Settings settings = Settings.load(file, Map.of());

        assertThat(settings.text("caravan.db.user", "")).isEqualTo("secret-2");
        assertThat(settings.repeated())
                .containsOnly(
                        Map.entry(
                                "caravan.db.user",
                                "is set more than once in application.properties: lines 1, 5. The last value is used."
                                        + " Remove the others"),
                        Map.entry(
                                "shop.url",
                                "is set more than once in shop.properties: lines 1, 2. The last value is used."
                                        + " Remove the others"));
    }

    @Test
    void a_byte_order_mark_is_no_part_of_the_first_setting() throws IOException {
        Files.writeString(file, "\uFEFFhost = example.com\n");
        Files.writeString(routes.resolve("a.properties"), "\uFEFFa.url = http://{{host}}/a\n");

        assertThat(Settings.load(file, Map.of()).all())
                .containsEntry("host", "example.com")
                .containsEntry("a.url", "http://example.com/a");
    }

    @Test
    void every_properties_file_beside_the_routes_is_read() throws IOException {
        Files.writeString(routes.resolve("a.properties"), "a.url = http://{{host}}/a\n");
        Files.writeString(routes.resolve("b.properties"), "b.url = b\n");
        Files.writeString(routes.resolve("notes.txt"), "c.url = c\n");
        Files.createDirectory(routes.resolve("d.properties"));
        Files.writeString(file, "host = example.com\nmine = {{b.url}}\n");

        assertThat(Settings.load(file, Map.of()).all())
                .containsEntry("a.url", "http://example.com/a")
                .containsEntry("b.url", "b")
                .containsEntry("mine", "b")
                .containsEntry("caravan.routes", routes.toString())
                .doesNotContainKey("c.url");
    }

    @Test
    void a_file_that_cannot_be_read_is_named_with_the_reason() throws IOException {
        Files.write(file, new byte[] {'a', '=', (byte) 0xff, '\n'});

        assertThatThrownBy(() -> Settings.load(file, Map.of()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(file + ": it is not text in UTF-8. Nothing was started.");
    }

    @Test
    void a_setting_takes_precedence_over_an_environment_variable_of_its_name() throws IOException {
        Files.writeString(file, "path = mine\nhere = {{path}}\n");

        assertThat(System.getenv("PATH")).isNotNull();
        assertThat(Settings.load(file, Map.of()).all()).containsEntry("here", "mine");
    }

    @Test
    void application_properties_and_overrides_take_precedence_over_the_files_beside_the_routes() throws IOException {
        Files.writeString(routes.resolve("a.properties"), "one = 1\ntwo = 1\nthree = 1\n");
        Files.writeString(file, "two = 2\nthree = 2\n");

        assertThat(Settings.load(file, Map.of("three", "3")).all())
                .containsEntry("one", "1")
                .containsEntry("two", "2")
                .containsEntry("three", "3");
    }

    @Test
    void a_name_with_two_values_beside_the_routes_is_refused_and_the_values_are_not_shown() throws IOException {
        Files.writeString(routes.resolve("a.properties"), "one = secret-1\nsame = x\n");
        Files.writeString(routes.resolve("b.properties"), "one = secret-2\nsame = x\n");

        assertThatThrownBy(() -> Settings.load(file, Map.of()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(
                        "one has different values in a.properties and in b.properties. Remove one of them")
                .hasMessageNotContainingAny("same", "secret");
    }

    @Test
    void a_setting_of_the_relay_beside_the_routes_is_refused() throws IOException {
        Files.writeString(routes.resolve("a.properties"), "caravan.retention = 1d\n");

        assertThatThrownBy(() -> Settings.load(file, Map.of()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("caravan.retention in a.properties is a setting of the relay."
                        + " Move it to application.properties");
    }

    /** They are about a destination, and are copied with its route. */
    @Test
    void known_answers_may_be_beside_the_routes() throws IOException {
        String page = Files.readString(Path.of("docs", "configuration.md"));
        int begin = page.indexOf("```properties\ncaravan.answers.") + "```properties\n".length();
        String example = page.substring(begin, page.indexOf("```", begin));
        Files.writeString(routes.resolve("gateway.properties"), example);
        Map<String, String> beside = Settings.load(file, Map.of()).all();
        Files.delete(routes.resolve("gateway.properties"));
        Files.writeString(file, example);

        assertThat(beside)
                .containsEntry("caravan.answers.partner-closed", "poison 5xx account closed")
                .containsEntry("caravan.answers.greylisting", "")
                .isEqualTo(Settings.load(file, Map.of()).all());
    }

    @Test
    void the_folder_of_the_routes_may_be_next_to_the_folder_of_the_file() throws IOException {
        Path conf = Files.createDirectory(folder.resolve("conf"));

        Settings above = Settings.load(conf.resolve("application.properties"), Map.of());
        Path nearer = Files.createDirectory(conf.resolve("routes"));
        Settings beside = Settings.load(conf.resolve("application.properties"), Map.of());

        assertThat(above.all()).containsEntry("caravan.routes", routes.toString());
        assertThat(beside.all()).containsEntry("caravan.routes", nearer.toString());
    }

    @Test
    void a_secret_that_is_missing_is_named_with_file_and_line() throws IOException {
        Files.writeString(
                routes.resolve("sms.properties"),
                "# the gateway\nsms.token.old = x\nsms.token = {{env:NO_SUCH_TOKEN}}\n");
        Files.writeString(file, "mail.password={{env:NO_SUCH_PASSWORD}}\n");

        assertThatThrownBy(() -> Settings.load(file, Map.of("given", "{{missing}}")))
                .isInstanceOf(SettingsException.class)
                .hasMessageContainingAll(
                        "sms.token (sms.properties:3): Property with key [env:NO_SUCH_TOKEN]",
                        "mail.password (application.properties:1): ",
                        "given: Property with key [missing]");
    }

    @Test
    void the_folder_of_the_jars_is_beside_the_routes_unless_its_path_is_absolute() throws IOException {
        Path elsewhere = Files.createDirectories(folder.resolve("etc/routes"));

        assertThat(Settings.load(file, Map.of()).all())
                .containsEntry("caravan.lib", folder.resolve("lib").toString())
                .containsEntry("caravan.intakes", folder.resolve("intakes").toString());
        assertThat(Settings.load(file, Map.of("caravan.routes", elsewhere.toString()))
                        .all())
                .containsEntry("caravan.lib", folder.resolve("etc/lib").toString());
        assertThat(Settings.load(file, Map.of("caravan.lib", "/jars")).all()).containsEntry("caravan.lib", "/jars");
    }

    @Test
    void application_properties_may_be_in_the_folder_of_the_routes() throws IOException {
        Files.writeString(file, "caravan.routes = .\ncaravan.retention = 1d\n");

        assertThat(Settings.load(file, Map.of()).all())
                .containsEntry("caravan.retention", "1d")
                .containsEntry("caravan.routes", folder.toString());
    }

    @Test
    void a_placeholder_that_cannot_be_resolved_is_named() throws IOException {
        Files.writeString(routes.resolve("a.properties"), "one = {{nowhere}}\n");

        assertThatThrownBy(() -> Settings.load(file, Map.of()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("in the routes folder " + routes)
                .hasMessageContaining("one (a.properties:1): ")
                .hasMessageContaining("nowhere");
    }

    /** A person who has exported them, as README says, must be able to build. */
    @Test
    void the_build_hides_every_variable_of_the_shipped_settings_from_the_tests() throws Exception {
        String build = Files.readString(Path.of("pom.xml"));
        String settings = Files.readString(Path.of("application.properties"));

        String readme = Files.readString(Path.of("README.md"));

        List<String> variables = Stream.of(
                        Pattern.compile("\\{\\{env:(\\w+)").matcher(settings),
                        Pattern.compile("\\b(CA[A-Z]+_\\w+)=").matcher(readme))
                .flatMap(found -> found.results())
                .map(variable -> variable.group(1))
                .toList();

        assertThat(variables)
                .contains("ROUTES", "DB_URL", "CARAVAN_ROUTES", "CARAVAN_DB_URL")
                .allSatisfy(variable -> assertThat(build)
                        .as("for unit tests and integration tests")
                        .containsPattern("(?s)<name>" + variable + "</name>.*<name>" + variable + "</name>"));
    }
}
