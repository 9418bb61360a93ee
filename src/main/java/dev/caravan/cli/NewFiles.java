package dev.caravan.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes files, and overwrites none. */
final class NewFiles {
    private NewFiles() {}

    /**
     * Writes all, in this order. Creates the folders that are missing.
     *
     * @param texts the text of each file
     * @throws CommandFailure if a file exists; nothing is written then
     */
    static void write(Map<Path, String> texts) throws IOException {
        List<Path> existing = texts.keySet().stream().filter(Files::exists).toList();
        if (!existing.isEmpty()) {
            throw new CommandFailure(existing.stream().map(Path::toString).collect(Collectors.joining(", "))
                    + (existing.size() == 1 ? " already exists" : " already exist")
                    + ". Nothing was written. Choose another name, or remove what is there.");
        }
        for (var file : texts.entrySet()) {
            Files.createDirectories(file.getKey().toAbsolutePath().getParent());
            Files.writeString(file.getKey(), file.getValue(), StandardOpenOption.CREATE_NEW);
        }
    }
}
