package dev.caravan.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EmbeddedFolderTest {
    @Test
    void a_url_names_a_folder_and_perhaps_a_port_and_the_programs() {
        EmbeddedFolder plain =
                EmbeddedFolder.of("it", "embedded:/var/lib/caravan").orElseThrow();
        assertThat(plain.folder()).isEqualTo(Path.of("/var/lib/caravan"));
        assertThat(plain.port()).isEmpty();
        assertThat(plain.bin()).isEmpty();

        EmbeddedFolder all = EmbeddedFolder.of("it", "embedded:/db?port=5433&bin=/usr/lib/postgresql/18/bin")
                .orElseThrow();
        assertThat(all.port()).hasValue(5433);
        assertThat(all.bin()).contains(Path.of("/usr/lib/postgresql/18/bin"));
    }

    @Test
    void other_urls_name_none() {
        assertThat(EmbeddedFolder.of(Settings.of(Map.of()))).isEmpty();
        assertThat(EmbeddedFolder.of("it", "jdbc:postgresql://embedded:5432/x")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "embedded:, absolute paths",
        "embedded:db, absolute paths",
        "embedded://host/db, absolute paths",
        "embedded:/db?bin=bin, absolute paths",
        "embedded:/db?port=0, between 1 and 65535",
        "embedded:/db?port=65536, between 1 and 65535",
        "embedded:/db?port=, between 1 and 65535",
        "embedded:/db?ports=5433, only the options port and bin",
        "embedded:/d\0b, locale of Java",
        "embedded:/db?, only the options port and bin"
    })
    void what_is_wrong_is_reported_with_the_settings_before_anything_starts(String url, String problem) {
        Settings settings = Settings.of(Map.of("caravan.db.url", url));

        assertThatThrownBy(() -> Database.settings().forEach(reader -> reader.accept(settings)))
                .isInstanceOf(SettingsException.class)
                .hasMessageStartingWith("caravan.db.url")
                .hasMessageContaining(problem);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "postgresql://caravan:secret1@db.example.com:5432/caravan", "postgresql://x"})
    void a_damaged_file_is_named_without_its_text(String text, @TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("connection"), text);

        Login login =
                EmbeddedFolder.of("it", "embedded:" + folder).orElseThrow().login();

        assertThat(login.unavailable())
                .contains(folder.resolve("connection") + " is damaged")
                .doesNotContain("secret1");
    }

    @Test
    void a_password_is_in_no_text_of_an_object() {
        assertThat(new EmbeddedFolder.Secret("secret1", 5433).toString()).doesNotContain("secret1");
    }
}
