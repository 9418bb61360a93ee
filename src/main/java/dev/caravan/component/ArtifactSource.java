package dev.caravan.component;

/** Where artifacts come from. */
@FunctionalInterface
interface ArtifactSource extends AutoCloseable {
    /** @throws ComponentRefusal if it or something that it needs cannot be read */
    ResolvedArtifact find(Artifact artifact, RelayLibraries relay);

    /** Deletes what was downloaded. */
    @Override
    default void close() {}
}
