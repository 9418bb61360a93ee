package dev.caravan.routes.component;

import dev.caravan.base.text.Sentence;
import dev.caravan.routes.component.AddedComponents.Component;
import dev.caravan.routes.component.AddedComponents.Jar;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.camel.util.function.ThrowingSupplier;

/**
 * The folder {@code lib} with the components that commands have added. A change writes hidden copies of
 * the jars, then the list of components and jars, and then moves the copies. So the folder contains only complete jars at any time.
 */
public final class LibFolder {
    private static final String PART = ".part";

    private final Path lib;
    private final RelayLibraries relay;

    public LibFolder(Path lib, RelayLibraries relay) {
        this.lib = lib;
        this.relay = relay;
    }

    /** Whether commands have added components to this folder. */
    public static boolean hasComponents(Path lib) {
        return Files.exists(lib.resolve(AddedComponents.FILE));
    }

    Path folder() {
        return lib;
    }

    /** The added components: artifact with version, by name. */
    public Map<String, String> components() {
        Map<String, String> artifacts = new LinkedHashMap<>();
        try {
            AddedComponents.in(lib).components().forEach((name, added) -> artifacts.put(name, added.artifact()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return artifacts;
    }

    /** The jars of a component that are in the folder for it. */
    public List<String> jarsOf(String component) {
        try {
            return AddedComponents.in(lib).components().get(component).jars();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Adds components, or replaces them by other versions.
     *
     * @return the files that were not there before; empty if all were added before
     * @throws ComponentRefusal if one conflicts with other jars; nothing is changed
     */
    List<String> add(List<ResolvedArtifact> components) {
        String artifacts =
                components.stream().map(found -> found.artifact().toString()).collect(Collectors.joining(", "));
        return changed("add " + artifacts, () -> {
            AddedComponents before = AddedComponents.in(lib);
            AddedComponents after = before;
            Map<String, Path> files = new LinkedHashMap<>();
            for (ResolvedArtifact found : components) {
                after = with(found, before, after);
                found.jars().forEach(jar -> files.put(jar.artifact().fileName(), jar.file()));
            }
            files.keySet().retainAll(after.jars().keySet());
            List<String> missing = missing(after, files.keySet());
            for (String jar : missing) {
                Files.copy(files.get(jar), part(jar), StandardCopyOption.REPLACE_EXISTING);
            }
            write(after);
            for (String jar : missing) {
                move(part(jar), lib.resolve(jar));
            }
            deleteUnused(before, after);
            return missing;
        });
    }

    private AddedComponents with(ResolvedArtifact found, AddedComponents before, AddedComponents planned)
            throws IOException {
        String name = found.artifact().component();
        List<String> conflicts =
                Conflicts.in(lib, relay, before, planned.without(List.of(name))).of(found);
        if (!conflicts.isEmpty()) {
            throw new ComponentRefusal("Could not add " + found.artifact() + ": " + String.join("; ", conflicts)
                    + ". Nothing was changed. Choose another version, or remove the conflicting jar, by hand or with"
                    + " ./caravan component remove NAME.");
        }
        Map<String, Jar> jars = new LinkedHashMap<>();
        AddedComponents all = planned.without(List.of(name));
        for (ResolvedArtifact.Jar each : found.jars()) {
            Jar jar = new Jar(each.artifact().toString(), Jar.sha256(each.file()));
            Optional<String> other = all.fileOf(jar.id());
            if (other.isPresent()
                    && jar.version().isBefore(all.jars().get(other.get()).version())) {
                jars.put(other.get(), all.jars().get(other.get())); // both components can use the later version
            } else {
                jars.put(each.artifact().fileName(), jar);
                all = other.isPresent()
                        ? all.replaced(other.get(), each.artifact().fileName(), jar)
                        : all;
            }
        }
        return all.with(name, new Component(found.artifact().toString(), List.copyOf(jars.keySet())), jars);
    }

    private List<String> missing(AddedComponents planned, Set<String> jars) throws IOException {
        List<String> missing = new ArrayList<>();
        for (String jar : jars) {
            Path file = lib.resolve(jar);
            if (!Files.exists(file)
                    || !Jar.sha256(file).equals(planned.jars().get(jar).sha256())) {
                missing.add(jar);
            }
        }
        return missing;
    }

    /**
     * Removes components and the jars that no other component needs.
     *
     * @return the deleted files
     * @throws ComponentRefusal if one was not added
     */
    public List<String> remove(List<String> names) {
        return changed("remove " + String.join(", ", names), () -> {
            AddedComponents before = AddedComponents.in(lib);
            for (String name : names) {
                if (!before.components().containsKey(name)) {
                    throw refusal(
                            "remove " + name,
                            "it was not added. Added are: "
                                    + (before.components().isEmpty()
                                            ? "none"
                                            : String.join(
                                                    ", ", before.components().keySet())));
                }
            }
            AddedComponents after = before.without(names);
            List<String> deleted =
                    deleteUnused(before, after); // first: a crash leaves them listed, so that they can be removed
            write(after);
            return deleted;
        });
    }

    private List<String> deleteUnused(AddedComponents before, AddedComponents after) throws IOException {
        TreeSet<String> unused = new TreeSet<>(before.jars().keySet());
        unused.removeAll(after.jars().keySet());
        for (String jar : unused) {
            Files.deleteIfExists(lib.resolve(jar));
        }
        return List.copyOf(unused);
    }

    /** What prevents added components from working, by name of the component. */
    public Map<String, String> problems() {
        Map<String, String> problems = new LinkedHashMap<>();
        try {
            AddedComponents added = AddedComponents.in(lib);
            added.components().forEach((name, component) -> {
                List<String> missing = component.jars().stream()
                        .filter(jar -> !Files.exists(lib.resolve(jar)))
                        .toList();
                String version =
                        component.artifact().substring(component.artifact().lastIndexOf(':') + 1);
                if (!missing.isEmpty()) {
                    problems.put(
                            name,
                            "lacks " + String.join(", ", missing) + ". Add it again: ./caravan component add "
                                    + name(name, component));
                } else if (component.artifact().startsWith("org.apache.camel:")
                        && !version.equals(relay.camelVersion())) {
                    problems.put(
                            name,
                            "is of Camel " + version + ", and the relay has Camel " + relay.camelVersion()
                                    + ". Replace it: ./caravan component add " + name);
                }
            });
        } catch (ComponentRefusal e) {
            problems.put(AddedComponents.FILE, e.getMessage());
        } catch (IOException e) {
            problems.put(AddedComponents.FILE, "cannot be read: " + e.getMessage());
        }
        return problems;
    }

    private static String name(String name, Component component) {
        return name.contains(":") ? component.artifact() : name;
    }

    private void write(AddedComponents added) throws IOException {
        Path draft = Files.writeString(part(AddedComponents.FILE), added.json());
        move(draft, lib.resolve(AddedComponents.FILE));
    }

    private static void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private Path part(String file) {
        return lib.resolve("." + file + PART);
    }

    /** Runs a change, one process at a time. Then deletes all hidden copies, also those of an interrupted command. */
    private List<String> changed(String what, ThrowingSupplier<List<String>, IOException> change) {
        try {
            Files.createDirectories(lib);
            try (var lock = FileChannel.open(
                            lib.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    var held = lock.lock()) {
                try {
                    return change.get();
                } finally {
                    deleteParts();
                }
            }
        } catch (FileSystemException e) {
            throw refusal(what, reason(e));
        } catch (IOException e) {
            throw new ComponentRefusal("Could not " + what + ": " + Sentence.of(e.getMessage()) + " Try again.", e);
        }
    }

    static String reason(FileSystemException failure) {
        if (failure instanceof AccessDeniedException) {
            return "this user has no permission to read or write " + failure.getFile();
        }
        return failure.getReason() == null
                ? failure.getFile() + " cannot be read or written"
                : failure.getFile() + ": " + failure.getReason();
    }

    private void deleteParts() throws IOException {
        try (var all = Files.newDirectoryStream(lib, ".*" + PART)) {
            for (Path part : all) {
                Files.deleteIfExists(part);
            }
        }
    }

    private static ComponentRefusal refusal(String what, String reason) {
        return new ComponentRefusal("Could not " + what + ": " + Sentence.of(reason) + " Nothing was changed.");
    }
}
