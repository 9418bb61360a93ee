package dev.caravan.base.settings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;

/**
 * What is used from the current folder, or from one beside it, although nobody has named it. In a folder such as /tmp, it may be the trap of
 * another user: settings name the database that gets the password, and jars, routes and captures are run.
 */
public final class CurrentFolder {
    private CurrentFolder() {}

    /**
     * Checks a file or folder that is about to be used. One that does not exist is not examined.
     *
     * @param instead how to name it: {@code --config FILE}
     * @throws SettingsException if it belongs to another user than this one and root, and everybody may write to the folder that contains it; the
     *     same if it is deeper in the current folder, for what contains it there
     */
    public static void requireTrusted(Path used, String instead) {
        Path path = used.toAbsolutePath().normalize();
        if (path.getParent() == null || !Files.exists(path)) {
            return;
        }
        requireTrusted(path, path, instead);
        Path current = Path.of("").toAbsolutePath();
        if (path.startsWith(current) && !path.equals(current)) {
            requireTrusted(current.resolve(current.relativize(path).getName(0)), path, instead);
        }
    }

    private static void requireTrusted(Path entry, Path path, String instead) {
        try {
            String owner = Files.getOwner(entry, LinkOption.NOFOLLOW_LINKS).getName();
            if (Files.getPosixFilePermissions(entry.getParent()).contains(PosixFilePermission.OTHERS_WRITE)
                    && !owner.equals("root")
                    && !owner.equals(System.getProperty("user.name"))) {
                throw new SettingsException("Could not use " + path + ": it belongs to " + owner
                        + ", and every user of this machine may write to its folder. Nothing was started. If you trust it, name it: "
                        + instead);
            }
        } catch (IOException | UnsupportedOperationException e) {
            // it has disappeared, or the system has no owners of files
        }
    }
}
