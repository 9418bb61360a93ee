package dev.caravan.relay;

import dev.caravan.camel.headers.OutboxConstants;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.camel.AsyncCallback;
import org.apache.camel.Exchange;
import org.apache.camel.support.AsyncProcessorSupport;

/**
 * The end of YAML routes, which name it by its class: accepts messages without waiting, as a Kafka producer does, and answers later,
 * in any order and on other threads. Records the headers of each arrival. A message of type {@code order.shaky} fails the
 * first time, with a text that names a phone number.
 */
public final class TracedArrivals extends AsyncProcessorSupport {
    static final String PHONE = "+15550100001";

    private static final ScheduledExecutorService ANSWERS = Executors.newScheduledThreadPool(4, task -> {
        Thread thread = new Thread(task, "traced-answer");
        thread.setDaemon(true);
        return thread;
    });
    private static final Map<Long, List<Map<String, Object>>> HEADERS = new ConcurrentHashMap<>();

    @Override
    public boolean process(Exchange exchange, AsyncCallback callback) {
        Long id = exchange.getMessage().getHeader(OutboxConstants.POSITION, Long.class);
        int attempt = exchange.getMessage().getHeader(OutboxConstants.ATTEMPT, Integer.class);
        String type = exchange.getMessage().getHeader(OutboxConstants.TYPE, String.class);
        HEADERS.computeIfAbsent(id, none -> new CopyOnWriteArrayList<>())
                .add(Map.copyOf(exchange.getMessage().getHeaders()));
        if (type.equals("order.shaky") && attempt == 1) {
            exchange.setException(new IllegalStateException("could not reach " + PHONE));
        }
        ANSWERS.schedule(() -> callback.done(false), ThreadLocalRandom.current().nextInt(3_000), TimeUnit.MICROSECONDS);
        return false;
    }

    /** The headers of each attempt for a message, in order. */
    static List<Map<String, Object>> at(long id) {
        return HEADERS.getOrDefault(id, List.of());
    }

    static void forget() {
        HEADERS.clear();
    }
}
