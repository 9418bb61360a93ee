package dev.caravan.examples;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.ToIntFunction;

/** An HTTP server that records the bodies that it accepts. */
final class Webhook implements AutoCloseable {
    private static final int ACCEPTED = 204;

    private final List<String> bodies = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;

    Webhook() throws IOException {
        this(body -> ACCEPTED);
    }

    /** @param status of the answer to a body */
    Webhook(ToIntFunction<String> status) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", request -> {
            String body = new String(request.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            int answer = status.applyAsInt(body);
            if (answer == ACCEPTED) {
                bodies.add(body);
            }
            request.sendResponseHeaders(answer, -1);
            request.close();
        });
        server.start();
    }

    String url() {
        return "http://localhost:" + server.getAddress().getPort() + "/";
    }

    List<String> bodies() {
        return bodies;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
