package dev.caravan.lab.servers;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.springframework.util.FileSystemUtils;

/**
 * The data of a new Postgres, initialized once for all tests of a build and copied for each server: {@code initdb} takes 1.6 s of
 * processor time, a copy a tenth of it. Used if the system property {@code postgres.data} names a folder.
 */
public final class InitializedData {
    private static final String ONLY_OWNER = "rwx------"; // Postgres refuses other permissions

    private InitializedData() {}

    /** A server that is not started. */
    static EmbeddedPostgres.Builder builder() throws IOException {
        return EmbeddedPostgres.builder()
                .setOverrideWorkingDirectory(closedFolder().resolve("unpacked").toFile());
    }

    /** Beside the classes; in the home folder if those are of another user, or in a place that cannot be written to. */
    private static Path closedFolder() throws IOException {
        URL classes =
                InitializedData.class.getProtectionDomain().getCodeSource().getLocation();
        try {
            Path build = Path.of(classes.toURI()).resolveSibling("postgres-programs");
            return closedFolder(build, Path.of(System.getProperty("user.home"), ".cache/caravan/postgres-programs"));
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }

    /**
     * A folder for the programs that only this user may enter. The library opens the one that it unpacks them into to every user of the
     * machine, who could put other programs there.
     *
     * @param other is used if this user cannot have the folder
     */
    static Path closedFolder(Path folder, Path other) throws IOException {
        try {
            return closed(folder);
        } catch (FileSystemException e) { // only the owner may change its permissions
            return closed(other);
        }
    }

    private static Path closed(Path folder) throws IOException {
        Files.createDirectories(folder);
        return Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(ONLY_OWNER));
    }

    /**
     * A server with its data in a folder, which is not removed when the server stops. A folder that is empty or does not exist is filled;
     * without the system property, the server fills it when it starts.
     */
    public static EmbeddedPostgres.Builder serverOn(Path data) throws IOException {
        copyTo(data);
        return builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setServerConfig("io_method", "sync"); // no processes that read for others: the data is small
    }

    private static void copyTo(Path data) throws IOException {
        String folder = System.getProperty("postgres.data");
        if (folder != null && isEmpty(data)) {
            FileSystemUtils.copyRecursively(initialized(Path.of(folder)), data);
            Files.setPosixFilePermissions(data, PosixFilePermissions.fromString(ONLY_OWNER));
        }
    }

    private static boolean isEmpty(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return true;
        }
        try (var files = Files.list(folder)) {
            return files.findAny().isEmpty();
        }
    }

    /** Several processes may call this at the same time: the first one initializes the data, the others wait. */
    private static Path initialized(Path folder) throws IOException {
        Path data = Files.createDirectories(folder).resolve("data");
        Path complete = folder.resolve("complete");
        try (FileChannel file =
                        FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var lock = file.lock()) {
            if (!Files.exists(complete)) {
                FileSystemUtils.deleteRecursively(data);
                builder()
                        .setDataDirectory(data)
                        .setCleanDataDirectory(false)
                        .start()
                        .close();
                Files.createFile(complete);
            }
        }
        return data;
    }
}
