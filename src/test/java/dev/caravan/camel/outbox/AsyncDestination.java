package dev.caravan.camel.outbox;

import dev.caravan.camel.outbox.TestDestination.Arrival;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.camel.AsyncCallback;
import org.apache.camel.Exchange;
import org.apache.camel.support.AsyncProcessorSupport;

/** A destination like a Kafka producer: accepts messages in order without waiting and answers later, on other threads. */
final class AsyncDestination extends AsyncProcessorSupport implements AutoCloseable {
    private final ExecutorService answers = Executors.newFixedThreadPool(4);
    private final List<Long> started = new ArrayList<>();
    private final List<Arrival> arrived = new ArrayList<>();
    private final Set<Long> failOnce = new HashSet<>();
    private final Random random = new Random(7);
    private CountDownLatch hold = new CountDownLatch(0);
    private int failOneIn = Integer.MAX_VALUE;

    /** Answers nothing before this many messages have been started. */
    void holdUntilStarted(int count) {
        hold = new CountDownLatch(count);
    }

    void failOnce(long id) {
        failOnce.add(id);
    }

    void failOneIn(int count) {
        failOneIn = count;
    }

    @Override
    public synchronized boolean process(Exchange exchange, AsyncCallback callback) {
        Arrival arrival = TestDestination.arrival(exchange);
        started.add(arrival.id());
        boolean fails = failOnce.remove(arrival.id()) || random.nextInt(failOneIn) == 0;
        if (!fails) {
            arrived.add(arrival);
        }
        hold.countDown();
        answers.execute(() -> answer(exchange, callback, fails));
        return false;
    }

    private void answer(Exchange exchange, AsyncCallback callback, boolean fails) {
        try {
            hold.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (fails) {
            exchange.setException(new IllegalStateException("told to fail"));
        }
        callback.done(false);
    }

    /** The ids among these in the order in which they were started, repeats included. */
    synchronized List<Long> startedOf(Collection<Long> ids) {
        return started.stream().filter(ids::contains).toList();
    }

    /**
     * The ids of a key for a receiver that ignores repeats of the latest message or of earlier ones. An id above
     * the next expected one is out of order unless all before it are repeated: the last run of the key must be in order.
     */
    synchronized List<Long> arrivedInOrder(String key) {
        List<Long> inOrder = new ArrayList<>();
        for (Arrival arrival : arrived) {
            if (arrival.key().equals(key)) {
                while (!inOrder.isEmpty() && inOrder.get(inOrder.size() - 1) >= arrival.id()) {
                    inOrder.remove(inOrder.size() - 1); // a repeat takes the reader back to this message
                }
                inOrder.add(arrival.id());
            }
        }
        return inOrder;
    }

    @Override
    public void close() {
        answers.shutdownNow();
    }
}
