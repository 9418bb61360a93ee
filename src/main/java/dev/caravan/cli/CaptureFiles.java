package dev.caravan.cli;

import dev.caravan.adopt.file.YamlFields;
import dev.caravan.base.settings.CurrentFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Parameters;

/** The capture files that a command works on. */
final class CaptureFiles {
    private static final Path FOLDER = Path.of("captures");

    @Parameters(
            paramLabel = "FILE",
            arity = "0..*",
            description = "Files of captures. Default: all *.yaml files in the folder captures.")
    private List<Path> named = List.of();

    /** Whether these are all files, and not a selection. */
    boolean isAll() {
        return named.isEmpty();
    }

    List<Path> files() throws IOException {
        if (!named.isEmpty()) {
            return named;
        }
        CurrentFolder.requireTrusted(FOLDER, "./caravan capture apply FILE");
        List<Path> all = YamlFields.files(FOLDER);
        if (all.isEmpty()) {
            throw new CommandFailure(
                    "There is no file captures/*.yaml in " + Path.of("").toAbsolutePath()
                            + ". Nothing was changed. Name the files: ./caravan capture apply FILE");
        }
        return all;
    }
}
