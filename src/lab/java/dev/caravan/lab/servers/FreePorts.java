package dev.caravan.lab.servers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Free ports of this machine. They are below those that Linux and macOS use for outgoing connections, each is returned once, and
 * processes that start one after the other search different ranges, so that a port is still free when it is used.
 */
public final class FreePorts {
    private static final int FIRST = 20_000;
    private static final int OF_A_PROCESS = 250;
    private static final int PROCESSES = 48;

    private static final AtomicInteger GIVEN = new AtomicInteger();

    private FreePorts() {}

    /** One port. */
    public static int one() throws IOException {
        int begin = FIRST + (int) (ProcessHandle.current().pid() % PROCESSES) * OF_A_PROCESS;
        IOException refused = null;
        for (int tries = 0; tries < OF_A_PROCESS; tries++) {
            int port = begin + GIVEN.getAndIncrement() % OF_A_PROCESS;
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
}
