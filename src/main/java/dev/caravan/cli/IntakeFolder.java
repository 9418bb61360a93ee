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

    /** The file that a person has named, by its path or, if there is no such file, as an intake of the folder. */
    static Path file(Path named, Path folder) {
        return Files.exists(named) ? named : inFolder(named.toString(), folder).orElse(named);
    }

    /** The file of an intake; empty if there is none, or the command uses a context, which has no folder. */
    static Optional<Path> existing(String name, SettingsOptions options) {
        return options.usesContext() ? Optional.empty() : inFolder(name, of(options.settings()));
    }

    private static Optional<Path> inFolder(String name, Path folder) {
        return Stream.of(".yaml", ".yml")
                .map(ending -> folder.resolve(name + ending))
                .filter(Files::isRegularFile)
                .findFirst();
    }
}
