package dev.caravan.camel.outbox;

import dev.caravan.base.message.Message;
import dev.caravan.base.text.Reason;
import dev.caravan.base.text.ShortText;
import dev.caravan.camel.guard.FailedAddress;
import dev.caravan.camel.guard.OwnExchanges;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.engine.lane.Change;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneCounters.Count;
import dev.caravan.engine.schedule.Failure;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePattern;
import org.apache.camel.ProducerTemplate;
import org.apache.camel.support.DefaultExchange;
import org.apache.camel.util.concurrent.CamelThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Sends each stored dead letter of a lane to the route from {@code direct:dead-letter}, or logs it if there is none. A failure of that route
 * does not change the dead letter, and the lane never waits for it: if the route is too slow or hangs, it does not receive all
 * dead letters; the missed ones are counted.
 */
final class DeadLetterRoute implements Consumer<Change.Dead> {
    private static final Logger LOG = LoggerFactory.getLogger(DeadLetterRoute.class);
    static final String URI = "direct:dead-letter?failIfNoConsumers=false&block=false";
    private static final int THREADS = 4;
    private static final int WAITING = 1_000;

    private final OutboxEndpoint endpoint;
    private final LaneCounters counters;
    private final AtomicLong waitingBytes = new AtomicLong();
    private final AtomicBoolean behind = new AtomicBoolean();
    private volatile ThreadPoolExecutor threads;
    private volatile ProducerTemplate template;

    DeadLetterRoute(OutboxEndpoint endpoint, LaneCounters counters) {
        this.endpoint = endpoint;
        this.counters = counters;
    }

    void start() {
        template = endpoint.getCamelContext().createProducerTemplate();
        threads = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                10,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(WAITING),
                new CamelThreadFactory(null, "outbox-dead-letter-" + endpoint.getName(), true));
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * Waits up to the stop timeout for the exchanges of the route, then interrupts them. No effect before {@link #start()}: Camel
     * also stops a consumer that it has not started, because another route of the relay was refused.
     */
    void stop() throws InterruptedException {
        if (threads == null) {
            return;
        }
        threads.shutdown();
        if (!threads.awaitTermination(endpoint.getComponent().stopTimeout().toMillis(), TimeUnit.MILLISECONDS)) {
            threads.shutdownNow().forEach(missed -> missed("the relay stops"));
        }
        template.stop();
    }

    @Override
    public void accept(Change.Dead dead) {
        long bytes = dead.delivery().bytes();
        if (waitingBytes.addAndGet(bytes) - bytes > 4L * endpoint.getLimits().getBatchBytes()) {
            waitingBytes.addAndGet(-bytes);
            missed("it is too slow");
            return;
        }
        try {
            threads.execute(() -> send(dead, bytes));
        } catch (RejectedExecutionException e) {
            waitingBytes.addAndGet(-bytes);
            missed("it is too slow");
        }
    }

    private void send(Change.Dead dead, long bytes) {
        try (var subscription = MDC.putCloseable("subscription", endpoint.getName());
                var message = MDC.putCloseable(
                        "messageId", dead.delivery().message().messageId().toString())) {
            if (!hasRoute()) {
                log(dead);
                return;
            }
            Exchange exchange = new DefaultExchange(endpoint.getCamelContext(), ExchangePattern.InOnly);
            fill(exchange, dead, endpoint.getName());
            Exchange sent = template.send(URI, exchange);
            if (sent.getException() != null) {
                failed(dead, FailedAddress.reason(sent, sent.getException()));
            }
        } catch (RuntimeException e) {
            failed(dead, Reason.of(e));
        } finally {
            waitingBytes.addAndGet(-bytes);
            if (!threads.isShutdown() && threads.getQueue().isEmpty() && behind.compareAndSet(true, false)) {
                LOG.info("Route dead-letter receives each dead letter of {} again", endpoint.getName());
            }
        }
    }

    private boolean hasRoute() {
        return endpoint.getCamelContext().getRoutes().stream()
                .anyMatch(route -> route.getEndpoint().getEndpointUri().matches("direct:(//)?dead-letter(\\?.*)?"));
    }

    /** Logs what the built-in route logs. */
    private void log(Change.Dead dead) {
        Message message = dead.delivery().message();
        LOG.info(
                "Message {} (messageId={} key={}) of {} is dead after attempt {}: {}. See it with: ./caravan dead-letters show {} {}",
                message.id(),
                message.messageId(),
                ShortText.of(message.key().toString()),
                endpoint.getName(),
                dead.attempts(),
                error(dead.failure()),
                endpoint.getName(),
                message.id());
    }

    /** Of a message that the route marked for rollback there is no class. */
    private static String error(Failure failure) {
        return failure.errorClass().isEmpty() ? failure.reason() : failure.errorClass();
    }

    private void missed(String why) {
        counters.add(Count.DEAD_LETTERS_MISSED);
        if (behind.compareAndSet(false, true)) {
            LOG.warn(
                    "Route dead-letter does not receive all dead letters of {}, because {}. They are stored; see"
                            + " caravan_dead_letter_route_skipped_total",
                    endpoint.getName(),
                    why);
        }
    }

    static void fill(Exchange exchange, Change.Dead dead, String subscription) {
        OwnExchanges.mark(exchange);
        org.apache.camel.Message in = exchange.getMessage();
        Message message = dead.delivery().message();
        Envelope.describe(in::setHeader, message, message.createdAt().toString(), subscription);
        in.setHeader(OutboxConstants.KEY, ShortText.of(message.key().toString()));
        in.setHeader(OutboxConstants.ATTEMPT, dead.attempts());
        in.setHeader(OutboxConstants.ERROR_CLASS, error(dead.failure()));
        in.setHeader(OutboxConstants.ERROR_TEXT, dead.failure().errorText());
        in.setBody(message.body());
    }

    private void failed(Change.Dead dead, String reason) {
        LOG.warn(
                "Route dead-letter failed for message {} of {}: {}. The dead letter is stored",
                dead.delivery().message().id(),
                endpoint.getName(),
                reason);
    }
}
