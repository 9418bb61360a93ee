package dev.caravan.camel.outbox;

import dev.caravan.camel.headers.OutboxConstants;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.component.kafka.KafkaConstants;

/** The end of a route: records the messages that arrive, and fails those that a test selects. */
public final class TestDestination implements Processor {
    /** One message that arrived. */
    record Arrival(
            long id,
            String messageId,
            String key,
            String type,
            int attempt,
            Object body,
            Map<String, Object> headers) {}

    /** An action before a message arrives. If it throws, the message does not arrive. */
    @FunctionalInterface
    interface BeforeArrival {
        void run(Arrival arrival) throws Exception;
    }

    private final List<Arrival> arrivals = new ArrayList<>();
    private final List<Long> failed = new ArrayList<>();
    private volatile BeforeArrival beforeArrival = arrival -> {};

    /** Sets an action that runs before each message arrives. */
    void before(BeforeArrival beforeArrival) {
        this.beforeArrival = beforeArrival;
    }

    /** Fails the messages that match. */
    void failIf(Predicate<Arrival> wrong) {
        before(arrival -> {
            if (wrong.test(arrival)) {
                throw new IllegalStateException("told to fail");
            }
        });
    }

    @Override
    public void process(Exchange exchange) throws Exception {
        Arrival arrival = arrival(exchange);
        try {
            beforeArrival.run(arrival);
        } catch (Exception e) {
            synchronized (this) {
                failed.add(arrival.id);
            }
            throw e;
        }
        synchronized (this) {
            arrivals.add(arrival);
        }
    }

    static Arrival arrival(Exchange exchange) {
        var in = exchange.getMessage();
        return new Arrival(
                in.getHeader(OutboxConstants.POSITION, Long.class),
                in.getHeader(OutboxConstants.ID, String.class),
                in.getHeader(KafkaConstants.KEY, String.class),
                in.getHeader(OutboxConstants.TYPE, String.class),
                in.getHeader(OutboxConstants.ATTEMPT, Integer.class),
                in.getBody(),
                new HashMap<>(in.getHeaders()));
    }

    synchronized List<Arrival> arrivals() {
        return List.copyOf(arrivals);
    }

    /** The ids in the order in which they arrived. */
    public List<Long> ids() {
        return arrivals().stream().map(Arrival::id).toList();
    }

    List<Long> idsOf(String key) {
        return arrivals().stream()
                .filter(a -> a.key.equals(key))
                .map(Arrival::id)
                .toList();
    }

    /** The ids whose delivery failed, one entry for each attempt. */
    synchronized List<Long> failedIds() {
        return List.copyOf(failed);
    }
}
