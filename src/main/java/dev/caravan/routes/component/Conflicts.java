package dev.caravan.routes.component;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Finds what prevents an artifact from being added: jars of the relay or of {@code lib} in another version. */
record Conflicts(Path lib, RelayLibraries relay, AddedComponents added, TreeSet<String> byHand) {
    /** Libraries that run code compiled for their earlier major versions. */
    private static final Set<String> BACKWARD_COMPATIBLE = Set.of("org.slf4j:slf4j-api");

    /**
     * @param before the components whose jars are in the folder now
     * @param others the other components that the folder will contain after the addition
     */
    static Conflicts in(Path lib, RelayLibraries relay, AddedComponents before, AddedComponents others) {
        TreeSet<String> files = new TreeSet<>();
        UserJars.in(lib).jars().forEach(jar -> files.add(jar.getFileName().toString()));
        files.removeAll(before.jars().keySet());
        return new Conflicts(lib, relay, others, files);
    }

    List<String> of(ResolvedArtifact found) throws IOException {
        List<String> conflicts = new ArrayList<>();
        found.ofRelay().forEach(wanted -> {
            String has = relay.version(wanted.id()).orElseThrow();
            if (!isCompatible(wanted, has)) {
                conflicts.add("it needs " + wanted.id() + " " + wanted.version() + ", and the relay has " + has
                        + ", which takes precedence and is not compatible");
            }
        });
        for (ResolvedArtifact.Jar jar : found.jars()) {
            inLib(jar.artifact()).ifPresent(conflicts::add);
            putByHand(jar).ifPresent(conflicts::add);
        }
        return conflicts;
    }

    /** Notes on libraries that the relay has in an older minor version than the artifact needs, which may still work. */
    static List<String> olderInRelay(ResolvedArtifact found, RelayLibraries relay) {
        List<String> older = new ArrayList<>();
        found.ofRelay().forEach(wanted -> {
            String has = relay.version(wanted.id()).orElseThrow();
            if (Version.of(has).isOlderThan(Version.of(wanted.version()))) {
                older.add(found.artifact().name() + " needs " + wanted.id() + " " + wanted.version()
                        + "; the relay has " + has + ", which is used");
            }
        });
        return older;
    }

    private static boolean isCompatible(Artifact wanted, String has) {
        Version version = Version.of(has);
        Version requested = Version.of(wanted.version());
        return version.isCompatibleWith(requested)
                || BACKWARD_COMPATIBLE.contains(wanted.id()) && !version.isOlderThan(requested);
    }

    private Optional<String> inLib(Artifact artifact) {
        return added.fileOf(artifact.id())
                .filter(file -> !Version.of(artifact.version())
                        .isCompatibleWith(added.jars().get(file).version()))
                .map(file -> "it needs " + artifact.fileName() + ", and lib has " + file + " for "
                        + String.join(", ", added.usersOf(file)));
    }

    private Optional<String> putByHand(ResolvedArtifact.Jar jar) throws IOException {
        String needed = jar.artifact().fileName();
        Pattern anyVersion = Pattern.compile(Pattern.quote(jar.artifact().name()) + "-\\d.*\\.jar");
        for (String file : byHand) {
            if (file.equals(needed)
                    && !AddedComponents.Jar.sha256(lib.resolve(file)).equals(AddedComponents.Jar.sha256(jar.file()))) {
                return Optional.of("it needs " + needed + ", and lib has another file of this name, put there by hand");
            }
            if (!file.equals(needed) && anyVersion.matcher(file).matches()) {
                return Optional.of("it needs " + needed + ", and lib has " + file + ", put there by hand");
            }
        }
        return Optional.empty();
    }
}
