package dev.caravan.lab.bench.failure;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.caravan.lab.bench.run.DeliveredRecords;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/** An HTTP server that answers 500 to the messages of some keys, and records when it first accepted each of the others. */
final class RefusingServer implements AutoCloseable {
    private static final int THREADS = 4;
    private static final int NO_BODY = -1;

    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final AtomicInteger accepted = new AtomicInteger();
    private final AtomicLongArray times;
    private final int percent;
    private final HttpServer server;

    /**
     * @param messages the highest number of a message
     * @param percent the keys order-N are refused where N modulo 100 is below it
     */
    RefusingServer(int messages, int percent) throws IOException {
        times = new AtomicLongArray(messages + 1);
        this.percent = percent;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    /** The query that counts the messages that are not refused. */
    static String goodMessages(int percent) {
        return "select count(*) from outbox where split_part(aggregate_id, '-', 2)::int % 100 >= " + percent;
    }

    String url() {
        return "http://localhost:" + server.getAddress().getPort() + "/";
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            String key = exchange.getRequestHeaders().getFirst("key");
            boolean refused = Integer.parseInt(key.substring(key.indexOf('-') + 1)) % 100 < percent;
            int number = DeliveredRecords.number(body);
            if (!refused && times.compareAndSet(number, 0, System.nanoTime())) {
                accepted.incrementAndGet();
            }
            exchange.sendResponseHeaders(refused ? 500 : 200, NO_BODY);
        }
    }

    /** The number of messages that were accepted. */
    int accepted() {
        return accepted.get();
    }

    /** Accepted messages per second, between the first and the last one. */
    double rate() {
        long[] sorted = java.util.stream.IntStream.range(0, times.length())
                .mapToLong(times::get)
                .filter(time -> time != 0)
                .sorted()
                .toArray();
        return sorted.length * 1e9 / Math.max(1, sorted[sorted.length - 1] - sorted[0]);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
