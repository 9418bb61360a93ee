package dev.caravan.lab.servers;

import dev.caravan.database.Sql;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/** Copies the data of a running server, like {@code pg_basebackup}, which is not among the embedded programs. */
final class BaseBackup extends SimpleFileVisitor<Path> {
    /** Folders whose content belongs to the running server or is rebuilt. The write-ahead log is streamed instead. */
    private static final Set<String> WITHOUT_CONTENT = Set.of("pg_wal", "pg_replslot", "pg_stat_tmp", "pg_subtrans");

    private static final Set<String> OMITTED =
            Set.of("postmaster.pid", "postmaster.opts", "epg-lock", "standby.signal");

    private final Path from;
    private final Path to;

    private BaseBackup(Path from, Path to) {
        this.from = from;
        this.to = to;
    }

    /**
     * @param server a connection of a superuser to the running server
     * @param from the folder of its data
     * @param to a folder that does not exist
     */
    static void copy(Connection server, Path from, Path to) throws IOException, SQLException {
        Sql.execute(server, "select pg_backup_start('replica', fast => true)");
        Files.walkFileTree(from, new BaseBackup(from, to));
        String label = Sql.rows(
                        server,
                        "select labelfile from pg_backup_stop(wait_for_archive => false)",
                        row -> row.getString(1))
                .get(0);
        Files.writeString(to.resolve("backup_label"), label);
    }

    private Path target(Path source) {
        return to.resolve(from.relativize(source));
    }

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
        Files.copy(folder, target(folder), StandardCopyOption.COPY_ATTRIBUTES);
        return WITHOUT_CONTENT.contains(folder.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
        if (!OMITTED.contains(file.getFileName().toString())) {
            try {
                Files.copy(file, target(file), StandardCopyOption.COPY_ATTRIBUTES);
            } catch (NoSuchFileException e) {
                // removed meanwhile; the log that is replayed contains the removal
            }
        }
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
        if (failure instanceof NoSuchFileException) {
            return FileVisitResult.CONTINUE;
        }
        throw failure;
    }
}
