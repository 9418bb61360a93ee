package dev.caravan.camel.outbox;

import dev.caravan.engine.lane.Lane;
import java.util.concurrent.ExecutorService;
import org.apache.camel.AsyncProcessor;

/** The threads that deliver the messages of a lane, from the start to the stop of its route. */
final class Deliverers {
    private final OutboxConsumer consumer;
    private final AsyncProcessor route;
    private final AttemptLog attempts;
    private ExecutorService threads;

    Deliverers(OutboxConsumer consumer, AsyncProcessor route, AttemptLog attempts) {
        this.consumer = consumer;
        this.route = route;
        this.attempts = attempts;
    }

    void open(String name) {
        threads = consumer.getEndpoint()
                .getCamelContext()
                .getExecutorServiceManager()
                .newCachedThreadPool(consumer, name);
    }

    /** Starts to deliver the messages of a lane. The threads end when the lane is closed. */
    void deliver(Lane lane) {
        OutboxEndpoint endpoint = consumer.getEndpoint();
        int count = endpoint.getSubscription().isPipelined()
                ? 1
                : endpoint.getLimits().getConcurrency();
        ExecutorService running = threads;
        for (int i = 0; i < count; i++) {
            running.execute(new Deliverer(lane, consumer, route, attempts, running::isShutdown));
        }
    }

    /** Runs another task on one of these threads. */
    void execute(Runnable task) {
        threads.execute(task);
    }

    void close() {
        consumer.getEndpoint().getCamelContext().getExecutorServiceManager().shutdown(threads);
    }
}
