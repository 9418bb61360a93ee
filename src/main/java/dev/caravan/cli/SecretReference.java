package dev.caravan.cli;

import dev.caravan.base.settings.SettingsException;
import dev.caravan.base.text.TextFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Where a secret is stored: {@code env:NAME} or {@code file:PATH}. The file of contexts never contains the secret itself.
 *
 * @param kind {@code env} or {@code file}
 */
record SecretReference(String kind, String place) {
    /** @throws SettingsException for any other text, which is not quoted because it may be the secret */
    static SecretReference parse(String setting, String text) {
        String[] parts = text.split(":", 2);
        if (parts.length < 2 || parts[1].isBlank() || !parts[0].equals("env") && !parts[0].equals("file")) {
            throw new SettingsException(
                    setting + " must be env:NAME or file:PATH, which say where the password is, and not the password"
                            + " itself. Without this setting, ~/.pgpass is used.");
        }
        return new SecretReference(parts[0], parts[1].strip());
    }

    /** @param owner what has the password: {@code the context prod} */
    String read(String owner, Map<String, String> environment) {
        return kind.equals("env") ? variable(owner, environment) : content(owner);
    }

    private String variable(String owner, Map<String, String> environment) {
        return Optional.ofNullable(environment.get(place))
                .map(String::strip)
                .filter(value -> !value.isEmpty())
                .orElseThrow(() -> new SettingsException("The password of " + owner + " is in the variable " + place
                        + ", which is not set. Nothing was changed."));
    }

    private String content(String owner) {
        try {
            return TextFile.read(path()).strip();
        } catch (IOException e) {
            throw new SettingsException("Could not read the password of " + owner + " from the file " + path() + " ("
                    + e.getClass().getSimpleName() + "). Nothing was changed.");
        }
    }

    /** The file, if the secret is in one. */
    Optional<Path> file() {
        return kind.equals("file") ? Optional.of(path()) : Optional.empty();
    }

    private Path path() {
        return Contexts.path(place);
    }

    /** {@code env:NAME}. */
    @Override
    public String toString() {
        return kind + ":" + place;
    }
}
