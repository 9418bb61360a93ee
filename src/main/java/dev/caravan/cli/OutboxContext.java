package dev.caravan.cli;

import dev.caravan.base.settings.SettingsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A named database for commands of people. Its connection settings are never combined with those of another source, so a password
 * is never sent to another server.
 *
 * @param password where the password is stored; empty if in {@code ~/.pgpass}, or if there is none
 * @param config the settings file for all other settings
 * @param confirm whether commands that change something ask for confirmation
 */
record OutboxContext(
        String name,
        String url,
        String user,
        Optional<SecretReference> password,
        String schema,
        Optional<Path> config,
        boolean confirm) {
    /** The settings of the connection. Contains the password: do not print. */
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
                password.map(reference -> reference.read("the context " + name, environment))
                        .orElse(""));
        settings.put("caravan.schema", schema);
        return settings;
    }

    /** Omits the password and its reference. */
    @Override
    public String toString() {
        return name + " (" + url + ")";
    }
}
