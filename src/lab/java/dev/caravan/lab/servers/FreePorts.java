package dev.caravan.lab.servers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Ports of this machine that nobody listens on now. */
public final class FreePorts {
    private FreePorts() {}

    /** One port. */
    public static int one() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Two different ports: both sockets are open until both are known. */
    static int[] two() throws IOException {
        try (var first = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var second = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return new int[] {first.getLocalPort(), second.getLocalPort()};
        }
    }
}
