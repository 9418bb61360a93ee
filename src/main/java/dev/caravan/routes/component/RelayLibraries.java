package dev.caravan.routes.component;

import dev.caravan.base.text.TextFile;
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
        return of(TextFile.resource("/relay-libraries.txt")
                .orElseThrow(() ->
                        new IllegalStateException("relay-libraries.txt is missing; ./mvnw process-resources writes it"))
                .lines());
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
