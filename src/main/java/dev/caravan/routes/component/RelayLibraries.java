package dev.caravan.routes.component;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The libraries of the relay, as Maven has listed them at build time: versions by {@link Artifact#id}. */
public record RelayLibraries(Map<String, String> versions) {
    /** {@code group:name:jar[:classifier]:version:scope}. */
    private static final Pattern LINE =
            Pattern.compile("\\s*([^:\\s]+):([^:\\s]+):jar(?::([^:\\s]+))?:([^:\\s]+):(?:compile|runtime)\\b.*");

    public static RelayLibraries read() {
        try (var stream = RelayLibraries.class.getResourceAsStream("/relay-libraries.txt")) {
            if (stream == null) {
                throw new IllegalStateException("relay-libraries.txt is missing; ./mvnw process-resources writes it");
            }
            return of(new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8)).lines());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static RelayLibraries of(Stream<String> lines) {
        Map<String, String> versions = new TreeMap<>();
        lines.map(LINE::matcher).filter(Matcher::matches).forEach(line -> {
            String classifier = line.group(3) == null ? "" : line.group(3);
            Artifact artifact = new Artifact(line.group(1), line.group(2), line.group(4), classifier);
            versions.put(artifact.id(), artifact.version());
        });
        return new RelayLibraries(versions);
    }

    public String camelVersion() {
        return versions.get("org.apache.camel:camel-api");
    }

    boolean has(String id) {
        return versions.containsKey(id);
    }

    Optional<String> version(String id) {
        return Optional.ofNullable(versions.get(id));
    }
}
