package dev.caravan.settings;

import dev.caravan.text.Sentence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/** Reads a properties file in UTF-8. */
final class PropertiesFile {
    private PropertiesFile() {}

    /** @throws SettingsException when it cannot be read */
    static Properties read(Path file) {
        Properties raw = new Properties();
        try (var reader = Files.newBufferedReader(file)) {
            raw.load(reader);
            return raw;
        } catch (IOException | IllegalArgumentException e) {
            throw new SettingsException("Could not read settings from " + file + ": " + Sentence.of(e.getMessage())
                    + " Nothing was started. Correct the file.");
        }
    }
}
