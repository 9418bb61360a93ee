package dev.caravan.routes.component;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Adds artifacts with their dependencies. Changes the folder only after all of them are found. */
public final class Additions {
    private final RelayLibraries relay;
    private final LibFolder lib;

    public Additions(RelayLibraries relay, LibFolder lib) {
        this.relay = relay;
        this.lib = lib;
    }

    /**
     * @param report gets a sentence for each artifact and each note
     * @throws ComponentRefusal if one cannot be found, or conflicts with other jars
     */
    public void add(List<Artifact> artifacts, Repository repository, Consumer<String> report) {
        try (var source = new MavenRepository(repository)) {
            for (Artifact artifact : artifacts) {
                relay.version(artifact.id()).ifPresent(version -> {
                    throw new ComponentRefusal("Could not add " + artifact + ": the relay contains it, in version "
                            + version + ". Nothing was changed.");
                });
            }
            List<ResolvedArtifact> found = new ArrayList<>();
            for (Artifact artifact : artifacts) {
                found.add(source.find(artifact, relay));
            }
            List<String> added = lib.add(found);
            report.accept(
                    added.isEmpty()
                            ? "All jars are in " + lib.folder() + " already. Nothing was changed."
                            : "Added to " + lib.folder() + ": " + String.join(", ", added) + ". Restart the relay.");
            found.forEach(
                    each -> Conflicts.olderInRelay(each, relay).forEach(note -> report.accept("Note: " + note + ".")));
        }
    }
}
