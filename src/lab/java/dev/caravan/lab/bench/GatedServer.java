package dev.caravan.lab.bench;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;

/** An HTTP server that answers 500, which is held against the message, until it is opened. */
final class GatedServer implements AutoCloseable {
    private static final int NO_BODY = -1;

    private final HttpServer server;
    private volatile int status;

    GatedServer(boolean open) throws IOException {
        status = open ? 200 : 500;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        server.createContext("/", exchange -> {
            try (exchange) {
                exchange.getRequestBody().readAllBytes();
                exchange.sendResponseHeaders(status, NO_BODY);
            }
        });
        server.start();
    }

    /** What a relay must be told to find it. */
    Map<String, String> settings() {
        return Map.of("bench.gate", Integer.toString(server.getAddress().getPort()));
    }

    /** From now on it answers 200. */
    void open() {
        status = 200;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
