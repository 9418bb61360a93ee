package dev.caravan.routes.component;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.base.message.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The content of {@code lib/components.json}: what was added, and which jars belong to it.
 *
 * @param components by name
 * @param jars by file name
 */
record AddedComponents(Map<String, Component> components, Map<String, Jar> jars) {
    static final String FILE = "components.json";

    private static final ObjectMapper JSON = new ObjectMapper();

    /** @param artifact {@code group:name:version} */
    record Component(String artifact, List<String> jars) {}

    /** @param artifact {@code group:name[:classifier]:version} */
    record Jar(String artifact, String sha256) {
        String id() {
            return artifact.substring(0, artifact.lastIndexOf(':'));
        }

        /** The checksum of a file. */
        static String sha256(Path file) throws IOException {
            try {
                return HexFormat.of()
                        .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e); // every Java has it
            }
        }

        Version version() {
            return Version.of(artifact.substring(artifact.lastIndexOf(':') + 1));
        }
    }

    static AddedComponents in(Path lib) throws IOException {
        try {
            AddedComponents read = JSON.readValue(Files.readString(lib.resolve(FILE)), AddedComponents.class);
            return new AddedComponents(new TreeMap<>(read.components), new TreeMap<>(read.jars));
        } catch (NoSuchFileException e) {
            return new AddedComponents(Map.of(), Map.of());
        } catch (com.fasterxml.jackson.core.JsonProcessingException | NullPointerException e) {
            throw new ComponentRefusal(
                    "Could not read " + lib.resolve(FILE) + ", which lists the added components: it is not the JSON"
                            + " that this command writes. Nothing was changed. Restore"
                            + " it, or delete it and the jars of the components, and add"
                            + " them again.");
        }
    }

    AddedComponents with(String name, Component component, Map<String, Jar> jarsOfComponent) {
        Map<String, Component> more = new TreeMap<>(components);
        more.put(name, component);
        Map<String, Jar> all = new TreeMap<>(jars);
        all.putAll(jarsOfComponent);
        return new AddedComponents(more, all).withoutUnusedJars();
    }

    AddedComponents without(Collection<String> names) {
        Map<String, Component> left = new TreeMap<>(components);
        left.keySet().removeAll(names);
        return new AddedComponents(left, jars).withoutUnusedJars();
    }

    /** Replaces a jar by another version of it, for all components that use it. */
    AddedComponents replaced(String jar, String by, Jar version) {
        Map<String, Component> changed = new TreeMap<>();
        components.forEach((name, component) -> changed.put(
                name,
                new Component(
                        component.artifact(),
                        component.jars().stream()
                                .map(each -> each.equals(jar) ? by : each)
                                .toList())));
        Map<String, Jar> all = new TreeMap<>(jars);
        all.put(by, version);
        return new AddedComponents(changed, all).withoutUnusedJars();
    }

    private AddedComponents withoutUnusedJars() {
        Set<String> used = new TreeSet<>();
        components.values().forEach(component -> used.addAll(component.jars()));
        Map<String, Jar> left = new TreeMap<>(jars);
        left.keySet().retainAll(used);
        return new AddedComponents(components, left);
    }

    /** The components that need a jar. */
    List<String> usersOf(String jar) {
        return components.entrySet().stream()
                .filter(component -> component.getValue().jars().contains(jar))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The file name of the jar with this id, whatever its version. */
    Optional<String> fileOf(String id) {
        return jars.entrySet().stream()
                .filter(jar -> jar.getValue().id().equals(id))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    String json() {
        return Json.text(this) + "\n";
    }
}
