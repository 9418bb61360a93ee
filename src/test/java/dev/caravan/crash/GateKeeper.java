package dev.caravan.crash;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Lets messages pass the {@link Gate} of a route, except those that the test holds. */
final class GateKeeper implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    private final Set<String> toHold = ConcurrentHashMap.newKeySet();
    private final List<Socket> held = new CopyOnWriteArrayList<>();
    private final Thread keeper = new Thread(this::keep, "gate-keeper");

    GateKeeper() throws IOException {
        keeper.start();
    }

    String port() {
        return Integer.toString(server.getLocalPort());
    }

    /** Holds a message once: when it comes to the gate, it waits there until its relay has ended. */
    void hold(String messageId) {
        toHold.add(messageId);
    }

    int held() {
        return held.size();
    }

    /** Lets the held messages pass. */
    void release() throws IOException {
        for (Socket socket : held) {
            letPass(socket);
        }
    }

    private void keep() {
        while (!server.isClosed()) {
            try {
                answer(server.accept());
            } catch (IOException e) {
                // the relay was killed while it asked, or the gate is closed
            }
        }
    }

    private void answer(Socket socket) throws IOException {
        var reader = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        String messageId = reader.readLine();
        if (messageId != null && toHold.remove(messageId)) {
            held.add(socket);
            return;
        }
        letPass(socket);
    }

    private static void letPass(Socket socket) throws IOException {
        try (socket) {
            socket.getOutputStream().write("pass\n".getBytes(StandardCharsets.US_ASCII));
        }
    }

    @Override
    public void close() throws Exception {
        server.close();
        for (Socket socket : held) {
            socket.close();
        }
        keeper.join();
    }
}
