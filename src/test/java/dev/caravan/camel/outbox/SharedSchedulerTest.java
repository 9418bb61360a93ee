package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.camel.Consumer;
import org.apache.camel.Endpoint;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.DefaultConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SharedSchedulerTest {
    private final ScheduledThreadPoolExecutor threads = new ScheduledThreadPoolExecutor(1);
    private final AtomicInteger polls = new AtomicInteger();
    private volatile long untilTurn = TimeUnit.HOURS.toNanos(1);
    private Runnable wake;
    private SharedScheduler scheduler;
    private Consumer consumer;

    @BeforeEach
    void start() throws Exception {
        threads.setRemoveOnCancelPolicy(true);
        Endpoint endpoint = new DefaultCamelContext().getEndpoint("direct:any");
        consumer = new DefaultConsumer(endpoint, exchange -> {});
        consumer.start();
        scheduler = new SharedScheduler(listener -> wake = listener, () -> untilTurn, () -> threads);
        scheduler.onInit(consumer);
        scheduler.scheduleTask(polls::incrementAndGet);
        scheduler.startScheduler();
        eventually(() -> assertThat(polls.get()).isEqualTo(1)); // the first poll, which begins at once
        eventually(() -> assertThat(threads.getActiveCount()).isZero());
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void a_lane_that_is_woken_while_its_poll_begins_has_one_poll_afterwards() throws Exception {
        for (int n = 0; n < 20; n++) {
            int before = polls.get();
            synchronized (scheduler) {
                wake.run();
                eventually(() -> assertThat(threads.getQueue()).isEmpty()); // the poll waits for this lock
                wake.run();
            }
            eventually(() -> assertThat(polls.get()).isGreaterThan(before));
            eventually(() -> assertThat(threads.getActiveCount()).isZero());
        }

        assertThat(threads.getQueue()).hasSize(1);
    }

    @Test
    void a_lane_that_is_woken_again_keeps_its_place_among_the_others() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        threads.execute(() -> await(busy));
        wake.run();
        AtomicInteger before = new AtomicInteger(-1);
        threads.execute(() -> before.set(polls.get()));
        int first = polls.get();
        wake.run();
        busy.countDown();

        eventually(() -> assertThat(before.get()).isEqualTo(first + 1));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void a_consumer_that_is_suspended_takes_no_processor_time() throws Exception {
        untilTurn = 0;
        wake.run();
        ((DefaultConsumer) consumer).suspend();
        Thread.sleep(200);
        int before = polls.get();
        Thread.sleep(500);

        assertThat(polls.get() - before).isLessThan(20);
        untilTurn = TimeUnit.HOURS.toNanos(1);
        ((DefaultConsumer) consumer).resume();
        eventually(() -> assertThat(threads.getActiveCount()).isZero());
    }
}
