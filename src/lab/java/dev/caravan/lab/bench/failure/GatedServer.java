package dev.caravan.lab.bench.failure;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;

/** An HTTP server that answers 500 until it is opened. A route counts a 500 as a failed attempt of the message. */
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

    /** The settings with which a route connects to this server. */
    Map<String, String> settings() {
        return Map.of("bench.gate", Integer.toString(server.getAddress().getPort()));
    }

    /** From now on the server answers 200. */
    void open() {
        status = 200;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
