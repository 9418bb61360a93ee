package dev.caravan.cli;

import dev.caravan.settings.SettingsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A named database for commands of people. It is used as a whole: nothing of it is mixed with other settings of the connection, so a
 * password is never sent to another server.
 *
 * @param password where the password is; empty for {@code ~/.pgpass} or none
 * @param config a settings file for everything else
 * @param confirm whether commands that change something ask first
 */
record OutboxContext(
        String name,
        String url,
        String user,
        Optional<SecretReference> password,
        String schema,
        Optional<Path> config,
        boolean confirm) {
    /** The settings of the connection, with the password: not to be printed. */
    Map<String, String> settings(Map<String, String> environment) {
        config.filter(file -> !Files.isRegularFile(file)).ifPresent(file -> {
            throw new SettingsException(
                    "Could not find the settings file " + file + " of the context " + name + ". Nothing was changed.");
        });
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("caravan.db.url", url);
        settings.put("caravan.db.user", user);
        settings.put(
                "caravan.db.password",
                password.map(reference -> reference.read(name, environment)).orElse(""));
        settings.put("caravan.schema", schema);
        return settings;
    }

    /** Without the password and its reference. */
    @Override
    public String toString() {
        return name + " (" + url + ")";
    }
}
