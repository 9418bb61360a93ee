package dev.caravan.relay.postgres;

import dev.caravan.base.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** Folders for the Postgres of a relay. It cannot run as root: if the tests do, the folders belong to another user. */
public final class ServerFolders {
    private static final String NOT_ROOT = "nobody";

    private ServerFolders() {}

    /** An empty folder. The test is skipped if it runs as root and there is no other user, or no program that changes the user. */
    public static Path create(Path parent, String name) throws IOException {
        Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwx--x--x"));
        return give(Files.createDirectory(
                parent.resolve(name),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))));
    }

    /** Gives a file to the user as whom the server runs. */
    static Path give(Path file) throws IOException {
        if (ServerUser.isRoot()) {
            Assumptions.assumeTrue(
                    ServerUser.inPath("setpriv")
                            .or(() -> ServerUser.inPath("runuser"))
                            .isPresent(),
                    "the tests run as root, and there is neither setpriv nor runuser");
            try {
                Files.setOwner(
                        file,
                        file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(NOT_ROOT));
            } catch (UserPrincipalNotFoundException e) {
                Assumptions.abort("the tests run as root, and there is no user " + NOT_ROOT);
            }
        }
        return file;
    }

    /** The settings of a relay with its Postgres in a folder. */
    static Settings settings(String url) {
        return Settings.of(Map.of("caravan.db.url", url));
    }
}
