package dev.caravan.camel.outbox;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A real HTTP server that gives the answers that a test sets, and can be stopped and started again on the same port. A test need not close it.
 */
final class HttpGateway implements AutoCloseable {
    /** Closes the connection without an answer. */
    static final Answer CUT = new Answer(-1, Map.of());

    /** The answer to a request. */
    record Answer(int status, Map<String, String> headers, byte[] body) {
        Answer(int status, Map<String, String> headers) {
            this(status, headers, new byte[0]);
        }

        static Answer of(int status) {
            return new Answer(status, Map.of());
        }
    }

    /** Decides the answer to the request for a message. */
    @FunctionalInterface
    interface Answers {
        Answer answer(long id) throws Exception;
    }

    private final List<Long> asked = new ArrayList<>();
    private final List<Long> taken = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final int port;
    private HttpServer server;
    private volatile Answers answers = id -> Answer.of(200);

    HttpGateway() {
        LeftOpenOutboxes.OPEN.add(this);
        server = listen(0);
        port = server.getAddress().getPort();
    }

    private HttpServer listen(int port) {
        HttpServer listening;
        try {
            listening = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        listening.setExecutor(threads);
        listening.createContext("/", this::answer);
        listening.start();
        return listening;
    }

    /** A part of a route that sends one request for each message, and waits longer than a busy machine takes to answer. */
    String uri() {
        return uri(Duration.ofSeconds(30));
    }

    /** The same with another time limit, for answers that do not come. */
    String uri(Duration responseTimeout) {
        return "http://localhost:" + port + "/messages?httpMethod=POST&connectTimeout=10000&responseTimeout="
                + responseTimeout.toMillis();
    }

    void answersWith(Answers answers) {
        this.answers = answers;
    }

    /** Refuses connections from now on. */
    void shuts() {
        server.stop(0);
    }

    void opens() {
        server = listen(port);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String position = exchange.getRequestHeaders().getFirst("position");
        long id = position == null ? 0 : Long.parseLong(position);
        exchange.getRequestBody().readAllBytes();
        synchronized (asked) {
            asked.add(id);
        }
        try (exchange) {
            Answer answer = answers.answer(id);
            if (answer == CUT) {
                return; // closed without an answer
            }
            if (answer.status() == 200) {
                synchronized (taken) {
                    taken.add(id);
                }
            }
            answer.headers()
                    .forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
            exchange.sendResponseHeaders(answer.status(), answer.body().length == 0 ? -1 : answer.body().length);
            exchange.getResponseBody().write(answer.body());
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    /** The ids of all requests, in order. */
    List<Long> asked() {
        synchronized (asked) {
            return List.copyOf(asked);
        }
    }

    /** The ids that were answered with 200, in order. */
    List<Long> taken() {
        synchronized (taken) {
            return List.copyOf(taken);
        }
    }

    @Override
    public void close() {
        LeftOpenOutboxes.OPEN.remove(this);
        server.stop(0);
        threads.shutdownNow();
    }
}
