package dev.caravan.relay;

import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.headers.OutboxConstants;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.Processor;

/**
 * The end of YAML routes with batching, which name it by its class. Records each batch. A batch that contains a message of
 * type {@code order.shaky} and another one fails.
 */
public final class TracedBatches implements Processor {
    /**
     * A batch that arrived.
     *
     * @param own the headers of the exchange
     * @param traces the traceparent of each message, by its id in the outbox
     */
    record Arrival(Map<String, Object> own, Map<Long, String> traces, boolean isFailed) {}

    private static final List<Arrival> ARRIVALS = new CopyOnWriteArrayList<>();

    @Override
    public void process(Exchange exchange) {
        MessageBatch batch = MessageBatch.of(exchange);
        Map<Long, String> traces = new TreeMap<>();
        for (Message message : batch) {
            traces.put(
                    message.getHeader(OutboxConstants.POSITION, Long.class),
                    message.getHeader("traceparent", String.class));
        }
        boolean isFailed = batch.size() > 1
                && batch.stream().anyMatch(message -> "order.shaky".equals(message.getHeader(OutboxConstants.TYPE)));
        ARRIVALS.add(new Arrival(Map.copyOf(exchange.getMessage().getHeaders()), traces, isFailed));
        if (isFailed) {
            throw new IllegalStateException("could not deliver them");
        }
    }

    static List<Arrival> arrivals() {
        return List.copyOf(ARRIVALS);
    }

    static void forget() {
        ARRIVALS.clear();
    }
}
