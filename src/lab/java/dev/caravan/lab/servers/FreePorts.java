package dev.caravan.lab.servers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Free ports of this machine, each returned once. They are below those that Linux and macOS use for outgoing connections. Each process
 * takes its ports from a range of its own, on which it holds a file lock until it ends, so that a port is still free when it is used.
 */
public final class FreePorts {
    private static final int FIRST = 20_000;
    private static final int PORTS_PER_RANGE = 250;
    private static final int RANGES = 48;

    private static final AtomicInteger ASSIGNED = new AtomicInteger();

    private FreePorts() {}

    /** One port. */
    public static int one() throws IOException {
        IOException refused = null;
        for (int tries = 0; tries < PORTS_PER_RANGE; tries++) {
            int port = Range.FIRST_PORT + ASSIGNED.getAndIncrement() % PORTS_PER_RANGE;
            try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                refused = e; // the port is in use
            }
        }
        throw refused;
    }

    /** Two different ports. */
    static int[] two() throws IOException {
        return new int[] {one(), one()};
    }

    /** The range of this process. */
    private static final class Range {
        private static FileLock lock; // held until the process ends

        static final int FIRST_PORT = FIRST + number() * PORTS_PER_RANGE;

        private static int number() {
            int preferred = (int) (ProcessHandle.current().pid() % RANGES);
            for (int tries = 0; tries < RANGES; tries++) {
                int number = (preferred + tries) % RANGES;
                if (lockForThisProcess(number)) {
                    return number;
                }
            }
            return preferred;
        }

        /** Locks a range until this process ends; returns whether no other process holds it. */
        private static boolean lockForThisProcess(int number) {
            Path file = Path.of(System.getProperty("java.io.tmpdir"), "caravan-ports-" + number + ".lock");
            try {
                FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                lock = channel.tryLock();
                if (lock == null) {
                    channel.close();
                }
                return lock != null;
            } catch (IOException e) {
                return false; // the file belongs to another user
            }
        }
    }
}
