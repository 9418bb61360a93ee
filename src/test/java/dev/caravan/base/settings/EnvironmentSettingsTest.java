package dev.caravan.base.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnvironmentSettingsTest {
    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void create() throws IOException {
        file = Files.writeString(folder.resolve("application.properties"), "");
        Files.createDirectory(folder.resolve("routes"));
    }

    private Settings load(Map<String, String> environment) {
        return Settings.load(file, Map.of(), environment);
    }

    @Test
    void each_setting_of_the_relay_has_a_variable_that_no_file_has_to_name() {
        for (String name : SettingNames.OF_RELAY) {
            if (!name.equals("caravan.routes")) {
                Settings settings = load(Map.of(SettingNames.variable(name), "/from/environment\n"));

                assertThat(settings.all()).containsEntry(name, "/from/environment");
                assertThat(settings.variables()).isEqualTo(Map.of(name, SettingNames.variable(name)));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "CARAVAN_MANAGEMENT_READTOKEN, caravan.management.readToken",
        "caravan_db_url, caravan.db.url",
        "CARAVAN_ANSWERS_GREYLISTING, caravan.answers.greylisting",
        "CAMEL_COMPONENT_KAFKA_BROKERS, camel.component.kafka.brokers",
        "CAMEL_COMPONENT_KAFKA_SASL_JAAS_CONFIG, camel.component.kafka.saslJaasConfig",
        "CAMEL_COMPONENT_STANDARD_WEBHOOK_LAZY_START_PRODUCER, camel.component.standard-webhook.lazyStartProducer",
        "CAMEL_COMPONENT_AWS2_S3_ACCESS_KEY, camel.component.aws2-s3.accessKey",
        "CAMEL_COMPONENT_SQL_DATA_SOURCE, camel.component.sql.dataSource",
        "CAMEL_COMPONENT_OURS_URL, camel.component.ours.url",
        "CAMEL_LANGUAGE_JSONPATH_SUPPRESS_EXCEPTIONS, camel.language.jsonpath.suppressExceptions",
        "CAMEL_MANAGEMENT_PORT, camel.management.port",
        "CAMEL_MANAGEMENT_HEALTH_CHECK_ENABLED, camel.management.healthCheckEnabled",
        "CAMEL_MAIN_SHUTDOWNTIMEOUT, camel.main.shutdownTimeout",
        "CAMEL_METRICS_ENABLED, camel.metrics.enabled",
    })
    void names_are_relaxed_as_those_of_camel_main(String variable, String setting) {
        assertThat(load(Map.of(variable, "a")).variables()).isEqualTo(Map.of(setting, variable));
    }

    @Test
    void other_variables_set_nothing() {
        assertThat(load(Map.of("CAMEL_HOME", "a", "SMS_URL", "b", "CARAVAN_DB_URL", " ", "CARAVAN_HOME", "c"))
                        .variables())
                .isEmpty();
    }

    @Test
    void a_variable_takes_precedence_over_files_however_they_spell_the_name_and_overrides_over_it() throws IOException {
        Files.writeString(
                file,
                "caravan.retention = 1d\ncamel.component.kafka.security-protocol = SSL\nurl = {{caravan.db.url}}\n");
        Files.writeString(folder.resolve("routes/a.properties"), "camel.component.http.soTimeout = 1s\n");
        Map<String, String> environment = Map.of(
                "CARAVAN_RETENTION", "2d",
                "CAMEL_COMPONENT_KAFKA_SECURITY_PROTOCOL", "SASL_SSL",
                "CAMEL_COMPONENT_HTTP_SO_TIMEOUT", "2s",
                "CARAVAN_DB_URL", "jdbc:a");

        Settings settings = Settings.load(file, Map.of("caravan.db.url", "jdbc:b"), environment);

        assertThat(settings.all())
                .containsEntry("caravan.retention", "2d")
                .containsEntry("camel.component.kafka.securityProtocol", "SASL_SSL")
                .containsEntry("camel.component.http.soTimeout", "2s")
                .containsEntry("caravan.db.url", "jdbc:b")
                .containsEntry("url", "jdbc:b")
                .doesNotContainKey("camel.component.kafka.security-protocol");
        assertThat(settings.variables()).doesNotContainKey("caravan.db.url").hasSize(3);
        assertThat(settings.warnings()).isEmpty();
    }

    @Test
    void the_folder_of_the_routes_can_be_given() throws IOException {
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Files.writeString(elsewhere.resolve("a.properties"), "a = 1\n");

        assertThat(load(Map.of("CARAVAN_ROUTES", "elsewhere")).all())
                .containsEntry("caravan.routes", elsewhere.toString())
                .containsEntry("a", "1");
    }

    /** PATH stands for an older name, because a placeholder reads the variables of this process. */
    @Test
    void an_older_name_works_and_is_reported_if_it_has_another_value() throws IOException {
        Files.writeString(file, "caravan.db.password = {{env:PATH:none}}\n");
        String older = System.getenv("PATH");

        Settings alone = load(Map.of("PATH", older));
        assertThat(alone.all()).containsEntry("caravan.db.password", older);
        assertThat(alone.variables()).isEqualTo(Map.of("caravan.db.password", "PATH"));
        assertThat(alone.warnings()).isEmpty();

        assertThat(load(Map.of("PATH", older, "CARAVAN_DB_PASSWORD", older)).warnings())
                .isEmpty();

        Settings both = load(Map.of("PATH", older, "CARAVAN_DB_PASSWORD", "another"));
        assertThat(both.all()).containsEntry("caravan.db.password", "another");
        assertThat(both.warnings())
                .containsExactly("CARAVAN_DB_PASSWORD and PATH are both set and differ. CARAVAN_DB_PASSWORD is used."
                        + " Remove one of them");
    }

    @Test
    void of_two_spellings_with_different_values_the_documented_one_is_used_and_both_are_reported() {
        Settings settings = load(Map.of(
                "CARAVAN_MANAGEMENT_READ_TOKEN", "one",
                "CARAVAN_MANAGEMENT_READTOKEN", "other"));

        assertThat(settings.all()).containsEntry("caravan.management.readToken", "one");
        assertThat(settings.variables()).containsEntry("caravan.management.readToken", "CARAVAN_MANAGEMENT_READ_TOKEN");
        assertThat(settings.warnings())
                .containsExactly(
                        "CARAVAN_MANAGEMENT_READ_TOKEN and CARAVAN_MANAGEMENT_READTOKEN are both set and differ."
                                + " CARAVAN_MANAGEMENT_READ_TOKEN is used. Remove one of them");
    }

    @Test
    void a_name_that_sets_nothing_is_reported_as_it_is_written() {
        assertThat(load(Map.of("caravan_db_urll", "x")).warnings())
                .containsExactly("caravan_db_urll is set, but there is no such setting, so it has no effect,"
                        + " did you mean CARAVAN_DB_URL?");
    }

    @Test
    void an_error_does_not_contain_the_value() {
        assertThatThrownBy(() -> load(Map.of("CARAVAN_DB_PASSWORD", "secret {{other}} secret")))
                .hasMessageContaining("caravan.db.password")
                .hasMessageContaining("[other]")
                .hasMessageNotContaining("secret");
    }

    @Test
    void a_name_that_sets_nothing_is_reported_with_the_nearest_one_unless_kubernetes_has_set_it() {
        assertThat(load(Map.of(
                                "CARAVAN_DB_URI", "secret",
                                "CARAVAN_SERVICE_HOST", "10.0.0.1",
                                "CARAVAN_PORT_9876_TCP_ADDR", "10.0.0.1",
                                "CARAVAN_CONTEXT", "prod"))
                        .warnings())
                .containsExactly("CARAVAN_DB_URI is set, but there is no such setting, so it has no effect,"
                        + " did you mean CARAVAN_DB_URL?");
    }
}
