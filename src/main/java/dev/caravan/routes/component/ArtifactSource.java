package dev.caravan.routes.component;

/** A source of artifacts, such as a Maven repository. */
@FunctionalInterface
interface ArtifactSource extends AutoCloseable {
    /** @throws ComponentRefusal if the artifact or one of its dependencies cannot be read */
    ResolvedArtifact find(Artifact artifact, RelayLibraries relay);

    /** Deletes what was downloaded. */
    @Override
    default void close() {}
}
