package dev.caravan.lab.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The content of an image file that {@code docker load} reads.
 *
 * @param root the root file system
 * @param config the section {@code config} of the image: entry point, user, environment, labels
 * @param layers the compressed layers, the base first
 */
public record UnpackedImage(Path root, JsonNode config, List<Path> layers) {
    /** Unpacks an image into a folder. Whiteouts are ignored: a base made of one layer has none. */
    public static UnpackedImage of(Path file, Path folder) throws IOException, InterruptedException {
        Path parts = Files.createDirectories(folder.resolve("parts"));
        Path root = Files.createDirectories(folder.resolve("root"));
        extract(file, parts);
        JsonNode manifest = json(parts.resolve("manifest.json")).get(0);
        List<Path> layers = new ArrayList<>();
        for (JsonNode layer : manifest.get("Layers")) {
            layers.add(parts.resolve(layer.asText()));
            extract(layers.get(layers.size() - 1), root);
        }
        JsonNode config = json(parts.resolve(manifest.get("Config").asText())).get("config");
        return new UnpackedImage(root, config, List.copyOf(layers));
    }

    private static void extract(Path file, Path folder) throws IOException, InterruptedException {
        Process tar = new ProcessBuilder("tar", "-C", folder.toString(), "-xf", file.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (tar.waitFor() != 0) {
            throw new IOException("Could not unpack " + file + ": tar ended with " + tar.exitValue());
        }
    }

    private static JsonNode json(Path file) throws IOException {
        return new ObjectMapper().readTree(file.toFile());
    }

    /** The entry point with these arguments. */
    public List<String> command(String... arguments) {
        return Stream.concat(texts("Entrypoint"), Stream.of(arguments)).toList();
    }

    /** The variables of the environment, as {@code NAME=value}. */
    Stream<String> environment() {
        return texts("Env");
    }

    String workingFolder() {
        return config.get("WorkingDir").asText();
    }

    private Stream<String> texts(String name) {
        return StreamSupport.stream(config.get(name).spliterator(), false).map(JsonNode::asText);
    }
}
