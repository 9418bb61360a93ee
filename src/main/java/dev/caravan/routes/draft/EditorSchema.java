package dev.caravan.routes.draft;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** The schema of Camel's YAML, with which an editor completes and checks route files, also without a network. */
public final class EditorSchema {
    private static final String FILE = ".schema/camelYamlDsl.json";

    /** The line of a route file that names the schema. */
    static final String LINE = "# yaml-language-server: $schema=../" + FILE + "\n";

    private EditorSchema() {}

    /** Writes the schema of this version of Camel beside the routes folder, unless it is there or that folder is not writable. */
    public static void writeBeside(Path routes) throws IOException {
        Path file = routes.resolveSibling(FILE);
        try (InputStream in = EditorSchema.class.getResourceAsStream("/schema/camelYamlDsl.json")) {
            byte[] schema = in.readAllBytes();
            if (Files.isWritable(routes.toAbsolutePath().getParent())
                    && (!Files.exists(file) || !Arrays.equals(Files.readAllBytes(file), schema))) {
                Files.createDirectories(file.getParent());
                Files.write(file, schema);
            }
        }
    }
}
