package dev.caravan.relay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;

/** A folder of route files that is changed as people and programs do. */
final class RouteFolder {
    private final Path folder;
    private int versions;

    RouteFolder(Path folder) {
        this.folder = folder;
    }

    Path path() {
        return folder;
    }

    /** Writes a file as an editor that overwrites it in place. */
    void write(String name, String yaml) throws IOException {
        Files.writeString(file(name), yaml);
    }

    /** Replaces a file as an editor that writes a new file and renames it. */
    void replace(String name, String yaml) throws IOException {
        Path draft = Files.writeString(folder.resolve(name + ".draft"), yaml);
        Files.move(draft, file(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    void remove(String name) throws IOException {
        Files.delete(file(name));
    }

    /**
     * Replaces all files as the kubelet does: each file is a link through the link {@code ..data} to a folder of this version of the
     * ConfigMap, and an update replaces {@code ..data}.
     */
    void swap(Map<String, String> files) throws IOException {
        Path version = Files.createDirectory(folder.resolve("..2026_11_22_10_00_00." + ++versions));
        for (var file : files.entrySet()) {
            Files.writeString(version.resolve(file.getKey() + ".camel.yaml"), file.getValue());
        }
        Path link = Files.createSymbolicLink(folder.resolve("..data_tmp"), version.getFileName());
        Files.move(link, folder.resolve("..data"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        for (String name : files.keySet()) {
            if (!Files.isSymbolicLink(file(name))) {
                Files.createSymbolicLink(file(name), Path.of("..data", name + ".camel.yaml"));
            }
        }
        try (var links = Files.list(folder)) {
            for (Path old : (Iterable<Path>) links::iterator) {
                if (Files.isSymbolicLink(old) && !Files.exists(old)) {
                    Files.delete(old);
                }
            }
        }
    }

    private Path file(String name) {
        return folder.resolve(name + ".camel.yaml");
    }
}
