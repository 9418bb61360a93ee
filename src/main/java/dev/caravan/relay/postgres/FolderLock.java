package dev.caravan.relay.postgres;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Keeps a second relay away from the folder. The system releases it when the process ends, also when it is killed. */
record FolderLock(FileChannel file) implements AutoCloseable {
    /** @throws EmbeddedServerException if another relay has it */
    static FolderLock of(Path folder, ServerUser user) throws IOException {
        Path lock = folder.resolve("lock");
        user.shell("", ": >> \"$1\"", lock);
        FileChannel file = FileChannel.open(lock, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        if (!take(file)) {
            file.close();
            throw new EmbeddedServerException("Could not start Postgres in " + folder
                    + ": another relay uses this folder. Nothing was started. One relay can use it, on one machine: stop the other one, or"
                    + " use a Postgres of your own for several relays.");
        }
        return new FolderLock(file);
    }

    private static boolean take(FileChannel file) throws IOException {
        try {
            return file.tryLock() != null; // the lock ends with the file
        } catch (OverlappingFileLockException e) {
            return false; // a relay in this process has it
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
