package dev.caravan.camel.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AnswerThreadsTest {
    private final ThreadPoolExecutor pool =
            new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>());
    private final CountDownLatch end = new CountDownLatch(1);
    private final BlockingQueue<String> begun = new LinkedBlockingQueue<>();

    @AfterEach
    void stop() {
        pool.shutdownNow();
    }

    @Test
    void at_most_so_many_tasks_of_an_endpoint_run_at_once_and_no_other_endpoint_waits_for_them() throws Exception {
        AnswerThreads slow = new AnswerThreads(pool, 2);
        List<Future<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            tasks.add(slow.submit(() -> hold("slow")));
        }
        assertThat(begun.take()).isEqualTo("slow");
        assertThat(begun.take()).isEqualTo("slow");

        new AnswerThreads(pool, 1).submit(() -> begun.add("other")).get();

        assertThat(begun).containsExactly("other");
        assertThat(pool.getLargestPoolSize()).isEqualTo(3);
        end.countDown();
        for (Future<?> task : tasks) {
            task.get();
        }
        assertThat(pool.getLargestPoolSize()).isEqualTo(3);
    }

    @Test
    void endpoints_with_little_traffic_share_threads() throws Exception {
        for (int i = 0; i < 100; i++) {
            AnswerThreads endpoint = new AnswerThreads(pool, 10);
            endpoint.submit(() -> {}).get();
            endpoint.shutdown();
            assertThat(endpoint.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        }

        assertThat(pool.getLargestPoolSize()).as("a thread may still end").isLessThan(10);
    }

    @Test
    void a_task_that_fails_stops_no_other() throws Exception {
        AnswerThreads endpoint = new AnswerThreads(pool, 1);
        endpoint.execute(() -> {
            throw new AssertionError("told to fail");
        });

        endpoint.submit(() -> begun.add("next")).get();

        assertThat(begun).containsExactly("next");
    }

    @Test
    void a_step_that_leaves_the_interrupt_flag_set_interrupts_no_other_answer() throws Exception {
        AnswerThreads endpoint = new AnswerThreads(pool, 1);
        endpoint.execute(() -> {
            hold("first");
            Thread.currentThread().interrupt();
        });
        Future<Boolean> next = endpoint.submit(() -> Thread.currentThread().isInterrupted());
        end.countDown();

        assertThat(next.get()).isFalse();
    }

    @Test
    void after_a_shutdown_the_tasks_that_wait_run_and_new_ones_are_refused() throws Exception {
        AnswerThreads endpoint = new AnswerThreads(pool, 1);
        endpoint.execute(() -> hold("first"));
        Future<?> second = endpoint.submit(() -> begun.add("second"));
        begun.take();

        endpoint.shutdown();

        assertThatThrownBy(() -> endpoint.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThat(endpoint.awaitTermination(1, TimeUnit.MILLISECONDS)).isFalse();
        end.countDown();
        second.get();
        assertThat(endpoint.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        assertThat(begun).containsExactly("second");
    }

    @Test
    void a_forced_shutdown_interrupts_what_runs_and_leaves_the_threads_as_they_were() throws Exception {
        AnswerThreads endpoint = new AnswerThreads(pool, 1);
        endpoint.execute(() -> {
            hold("first");
            Thread.currentThread().interrupt(); // as a step may do
        });
        Runnable waits = () -> {};
        endpoint.execute(waits);
        begun.take();

        assertThat(endpoint.shutdownNow()).containsExactly(waits);

        assertThat(endpoint.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        assertThat(endpoint.isTerminated()).isTrue();
        List<Boolean> interrupted = Collections.synchronizedList(new ArrayList<>());
        new AnswerThreads(pool, 1)
                .submit(() -> interrupted.add(Thread.currentThread().isInterrupted()))
                .get();
        assertThat(interrupted).containsExactly(false);
    }

    @Test
    void without_a_thread_the_task_is_refused_and_with_one_it_waits() throws Exception {
        AnswerThreads endpoint = new AnswerThreads(pool, 2);
        AnswerThreads without = new AnswerThreads(
                task -> {
                    throw new OutOfMemoryError("told to fail");
                },
                2);
        assertThatThrownBy(() -> without.execute(() -> {})).isInstanceOf(OutOfMemoryError.class);
        assertThat(without.shutdownNow()).isEmpty();

        endpoint.execute(() -> hold("first"));
        begun.take();
        pool.shutdown();
        Future<?> second = endpoint.submit(() -> begun.add("second"));
        end.countDown();

        second.get();
        assertThat(begun).containsExactly("second");
    }

    private void hold(String name) {
        begun.add(name);
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
