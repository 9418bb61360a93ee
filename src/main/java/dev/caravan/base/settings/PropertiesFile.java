package dev.caravan.base.settings;

import dev.caravan.base.text.FileReason;
import dev.caravan.base.text.Sentence;
import dev.caravan.base.text.TextFile;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Reads a properties file in UTF-8. */
final class PropertiesFile {
    private PropertiesFile() {}

    /** @throws SettingsException when it cannot be read */
    static Properties read(Path file) {
        return load(file, new Properties());
    }

    /** The names that a file sets more than once: the last value counts. What to do about each. */
    static Map<String, String> repeated(Path file) {
        Set<String> names = new TreeSet<>();
        load(file, new Properties() {
            @Override
            public synchronized Object put(Object name, Object value) {
                Object previous = super.put(name, value);
                if (previous != null) {
                    names.add(name.toString());
                }
                return previous;
            }
        });
        Map<String, String> repeated = new TreeMap<>();
        names.forEach(name -> repeated.put(
                name,
                "is set more than once in " + file.getFileName() + ": lines "
                        + SettingLine.all(name, file).stream()
                                .map(String::valueOf)
                                .collect(Collectors.joining(", "))
                        + ". The last value is used. Remove the others"));
        return repeated;
    }

    private static Properties load(Path file, Properties raw) {
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
