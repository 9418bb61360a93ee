package dev.caravan.outbox;

import dev.caravan.headers.OutboxConstants;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.component.kafka.KafkaConstants;

/** The end of a route: remembers what arrives, fails what it is told to fail. */
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

    /** Something to do with a message before it arrives; it does not arrive when this throws. */
    @FunctionalInterface
    interface Hurdle {
        void pass(Arrival arrival) throws Exception;
    }

    private final List<Arrival> arrivals = new ArrayList<>();
    private final List<Long> failed = new ArrayList<>();
    private volatile Hurdle hurdle = arrival -> {};

    /** Lets every message pass this first. */
    void before(Hurdle hurdle) {
        this.hurdle = hurdle;
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
            hurdle.pass(arrival);
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
