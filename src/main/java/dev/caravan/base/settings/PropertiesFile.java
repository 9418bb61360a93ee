package dev.caravan.base.settings;

import dev.caravan.base.text.FileReason;
import dev.caravan.base.text.Sentence;
import dev.caravan.base.text.TextFile;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.Properties;

/** Reads a properties file in UTF-8. */
final class PropertiesFile {
    private PropertiesFile() {}

    /** @throws SettingsException when it cannot be read */
    static Properties read(Path file) {
        Properties raw = new Properties();
        try {
            raw.load(new StringReader(TextFile.read(file)));
            return raw;
        } catch (IOException e) {
            throw refusal(file, FileReason.of(e));
        } catch (IllegalArgumentException e) {
            throw refusal(file, e.getMessage());
        }
    }

    private static SettingsException refusal(Path file, String reason) {
        return new SettingsException("Could not read settings from " + file + ": " + Sentence.of(reason)
                + " Nothing was started. Correct the file.");
    }
}
