package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** The folder of the intakes of a relay: {@code caravan.intakes}. */
final class IntakeFolder {
    private IntakeFolder() {}

    static Path of(Settings settings) {
        return Path.of(settings.text("caravan.intakes", "intakes"));
    }

    /** The file of an intake; empty if there is none, or the command uses a context, which has no folder. */
    static Optional<Path> existing(String name, SettingsOptions options) {
        return options.usesContext()
                ? Optional.empty()
                : Stream.of(".yaml", ".yml")
                        .map(ending -> of(options.settings()).resolve(name + ending))
                        .filter(Files::isRegularFile)
                        .findFirst();
    }
}
