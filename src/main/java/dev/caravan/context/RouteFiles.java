package dev.caravan.context;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Reads the route files of a folder. */
public final class RouteFiles {
    private static final String SUFFIX = ".camel.yaml";

    private RouteFiles() {}

    /**
     * The text of each route file by its name. Follows symbolic links: on Kubernetes the folder contains links to the files of the
     * current version of a ConfigMap.
     */
    public static Map<String, String> in(Path folder) throws IOException {
        Map<String, String> texts = new TreeMap<>();
        try (Stream<Path> all = Files.list(folder)) {
            for (Path file : (Iterable<Path>) all::iterator) {
                String name = file.getFileName().toString();
                if (name.endsWith(SUFFIX) && Files.isRegularFile(file)) {
                    texts.put(name, new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
                }
            }
        }
        return texts;
    }
}
