package dev.caravan.lab.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** A temporary folder for the data of a server. Close removes it with its content. */
public final class TemporaryFolder implements AutoCloseable {
    private final Path path;

    /** @param prefix of the name */
    public TemporaryFolder(String prefix) throws IOException {
        path = Files.createTempDirectory(prefix);
    }

    public Path path() {
        return path;
    }

    @Override
    public void close() {
        try {
            Files.walkFileTree(path, new Removal());
        } catch (IOException e) {
            throw new UncheckedIOException("Could not remove " + path + ". Remove it by hand", e);
        }
    }

    private static final class Removal extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE; // a server that is stopping removed it meanwhile
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, IOException e) throws IOException {
            Files.deleteIfExists(folder);
            return FileVisitResult.CONTINUE;
        }
    }
}
