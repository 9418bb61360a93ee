package dev.caravan.component;

import java.nio.file.Path;
import java.util.List;

/**
 * An artifact with all that it needs, as found in a repository.
 *
 * @param jars those that the relay does not have, with the artifact itself
 * @param ofRelay those that the relay has, in the versions that are asked for
 */
record ResolvedArtifact(Artifact artifact, List<Jar> jars, List<Artifact> ofRelay) {
    /** @param file its content, verified against the checksum of the repository */
    record Jar(Artifact artifact, Path file) {}
}
