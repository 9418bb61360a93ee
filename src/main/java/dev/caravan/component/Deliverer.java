package dev.caravan.component;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.caravan.delivery.Delivery;
import dev.caravan.delivery.Result;
import dev.caravan.lane.Lane;
import org.apache.camel.AsyncCallback;
import org.apache.camel.AsyncProcessor;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.component.kafka.KafkaConstants;
import org.apache.camel.support.DefaultConsumer;

/**
 * Sends the messages of a lane through the route, one exchange each, until the lane is closed. Runs on a thread of its own,
 * outside any exchange, so that Camel runs the route at once and not after something else.
 */
final class Deliverer implements Runnable {
    /** Decimals keep every digit: as doubles an amount such as 12345678901234567.89 would change on the way. */
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private final Lane lane;
    private final DefaultConsumer consumer;
    private final AsyncProcessor route;
    private final AttemptLog attempts;
    private final Tracing tracing;
    private final String subscription;
    private final IsoTime time = new IsoTime();

    Deliverer(Lane lane, OutboxConsumer consumer, AsyncProcessor route, AttemptLog attempts) {
        this.lane = lane;
        this.consumer = consumer;
        this.route = route;
        this.attempts = attempts;
        this.tracing = consumer.getEndpoint().getComponent().tracing();
        this.subscription = consumer.getEndpoint().getName();
    }

    @Override
    public void run() {
        try {
            for (Delivery delivery = lane.next(); delivery != null; delivery = lane.next()) {
                deliver(delivery);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void deliver(Delivery delivery) {
        Attempt attempt = new Attempt(delivery, consumer.createExchange(false));
        try {
            attempt.begin();
            route.process(attempt.exchange, attempt);
        } catch (Exception e) {
            attempt.exchange.setException(e);
            attempt.done(true);
        }
    }

    /** One attempt; {@link #done} may be called from any thread, and counts once. */
    private final class Attempt implements AsyncCallback {
        private final Delivery delivery;
        private final Exchange exchange;
        private Tracing.Attempt traced = result -> {};
        private boolean ended;

        private Attempt(Delivery delivery, Exchange exchange) {
            this.delivery = delivery;
            this.exchange = exchange;
        }

        private void begin() throws JsonProcessingException {
            Message in = exchange.getMessage();
            try {
                fill(in, delivery);
            } finally {
                traced = tracing.begin(subscription, delivery, in); // headers that cannot be read fail the attempt too
            }
        }

        @Override
        public void done(boolean doneSync) {
            synchronized (this) {
                if (ended) {
                    return;
                }
                ended = true;
            }
            Result result = AttemptResult.of(exchange, delivery.message().payload());
            Throwable error = AttemptResult.error(exchange);
            consumer.releaseExchange(exchange, false);
            traced.ended(result); // before others may start the next attempt
            lane.finished(delivery, result);
            attempts.ended(delivery, result, error, lane.destinationIsAway());
        }
    }

    private void fill(Message in, Delivery delivery) throws JsonProcessingException {
        var message = delivery.message();
        if (message.headers() != null) {
            JSON.readTree(message.headers())
                    .properties()
                    .forEach(header -> in.setHeader(header.getKey(), text(header.getValue())));
        }
        in.setHeader(OutboxConstants.ID, message.messageId().toString());
        in.setHeader(OutboxConstants.TYPE, message.type());
        in.setHeader(OutboxConstants.AGGREGATE_TYPE, message.key().type());
        in.setHeader(OutboxConstants.AGGREGATE_ID, message.key().id());
        in.setHeader(OutboxConstants.CREATED_AT, time.text(message.createdAt()));
        in.setHeader(OutboxConstants.SUBSCRIPTION, subscription);
        in.setHeader(OutboxConstants.POSITION, message.id());
        in.setHeader(OutboxConstants.ATTEMPT, delivery.attempt());
        in.setHeader(KafkaConstants.KEY, message.key().id());
        in.setBody(message.payload());
    }

    /** Header values travel as text: Kafka and HTTP would send numbers in binary or drop what they do not know. */
    private static String text(JsonNode value) {
        if (value.isBigDecimal()) {
            return value.decimalValue().toPlainString();
        }
        return value.isValueNode() ? value.asText() : value.toString();
    }
}
