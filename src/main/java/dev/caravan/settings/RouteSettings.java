package dev.caravan.settings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.TreeMap;

/** The settings that routes bring with them: those of every {@code *.properties} file in the folder of the route files. */
final class RouteSettings {
    private static final String RESERVED = "caravan.";

    private final Properties values = new Properties();
    private final TreeMap<String, String> fileOfName = new TreeMap<>();
    private final List<String> problems = new ArrayList<>();

    private RouteSettings() {}

    /**
     * @param folder of the routes; one that does not exist has no settings
     * @param main the file of the settings of the relay, which may be in the same folder and is not read here
     * @throws SettingsException with all problems at once
     */
    static Properties in(Path folder, Path main) {
        RouteSettings settings = new RouteSettings();
        for (Path file : files(folder)) {
            if (!file.toAbsolutePath().normalize().equals(main.toAbsolutePath().normalize())) {
                settings.add(file);
            }
        }
        if (!settings.problems.isEmpty()) {
            throw new SettingsException("Could not use the settings beside the routes in " + folder + ": "
                    + String.join("; ", settings.problems) + ". Nothing was started; correct them and start again.");
        }
        return settings.values;
    }

    private static List<Path> files(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (var all = Files.list(folder)) {
            return all.filter(
                            file -> file.getFileName().toString().endsWith(".properties") && Files.isRegularFile(file))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new SettingsException("Could not list the folder of the routes " + folder + ": " + e.getMessage());
        }
    }

    private void add(Path file) {
        Properties read = PropertiesFile.read(file);
        String name = file.getFileName().toString();
        for (String setting : read.stringPropertyNames()) {
            if (setting.startsWith(RESERVED)) {
                problems.add(setting + " in " + name + " is a setting of the relay: move it to application.properties");
            } else if (differs(setting, read.getProperty(setting))) {
                problems.add(setting + " has different values in " + fileOfName.get(setting) + " and in " + name
                        + ": remove one of them");
            }
            values.setProperty(setting, read.getProperty(setting));
            fileOfName.put(setting, name);
        }
    }

    private boolean differs(String setting, String value) {
        return !values.getProperty(setting, value).equals(value);
    }
}
