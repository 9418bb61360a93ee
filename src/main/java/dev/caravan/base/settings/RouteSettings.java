package dev.caravan.base.settings;

import dev.caravan.base.text.FileReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.TreeMap;

/** The settings of the routes: all {@code *.properties} files in the routes folder. */
final class RouteSettings {
    private static final String RESERVED = "caravan.";

    private final Properties values = new Properties();
    private final TreeMap<String, String> fileOfName = new TreeMap<>();
    private final List<String> problems = new ArrayList<>();

    private RouteSettings() {}

    /**
     * Reads all settings files of the routes.
     *
     * @param folder the routes folder; there are no settings if it does not exist
     * @param main the relay's settings file, which is skipped if it is in the same folder
     * @throws SettingsException with all problems
     */
    static Properties in(Path folder, Path main) {
        RouteSettings settings = new RouteSettings();
        for (Path file : files(folder)) {
            if (!file.toAbsolutePath().normalize().equals(main.toAbsolutePath().normalize())) {
                settings.add(file);
            }
        }
        if (!settings.problems.isEmpty()) {
            throw new SettingsException("Could not use the settings files in the routes folder " + folder + ": "
                    + String.join("; ", settings.problems) + ". Nothing was started. Correct the files.");
        }
        return settings.values;
    }

    /** The settings files of a folder; none if it does not exist. */
    static List<Path> files(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (var all = Files.list(folder)) {
            return all.filter(
                            file -> file.getFileName().toString().endsWith(".properties") && Files.isRegularFile(file))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new SettingsException("Could not list the routes folder " + folder + ": " + FileReason.of(e)
                    + ". Nothing was started. Correct it, or set caravan.routes (CARAVAN_ROUTES) to another folder.");
        }
    }

    private void add(Path file) {
        Properties read = PropertiesFile.read(file);
        String name = file.getFileName().toString();
        for (String setting : read.stringPropertyNames()) {
            if (setting.startsWith(RESERVED) && !setting.startsWith(SettingNames.ANSWERS)) {
                problems.add(setting + " in " + name + " is a setting of the relay. Move it to application.properties");
            } else if (differs(setting, read.getProperty(setting))) {
                problems.add(setting + " has different values in " + fileOfName.get(setting) + " and in " + name
                        + ". Remove one of them");
            }
            values.setProperty(setting, read.getProperty(setting));
            fileOfName.put(setting, name);
        }
    }

    private boolean differs(String setting, String value) {
        return !values.getProperty(setting, value).equals(value);
    }
}
