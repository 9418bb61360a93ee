package dev.caravan.routes.component;

import java.nio.file.Path;
import java.util.List;

/**
 * An artifact with its dependencies, as found in a repository.
 *
 * @param jars the jars that the relay does not contain, including the artifact itself
 * @param ofRelay the dependencies that the relay contains, in the requested versions
 */
record ResolvedArtifact(Artifact artifact, List<Jar> jars, List<Artifact> ofRelay) {
    /** @param file its content, verified against the checksum of the repository */
    record Jar(Artifact artifact, Path file) {}
}
