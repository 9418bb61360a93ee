package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.job.Job;
import dev.caravan.operate.job.Jobs;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Executors;
import java.util.stream.LongStream;
import org.apache.kafka.common.errors.SerializationException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Many dead letters that a person retries while a relay works their subscription. */
class BulkRetryIT {
    private static final int LETTERS = 40;

    private final TestDestination destination = new TestDestination();
    private volatile boolean refuses = true;
    private final TestOutbox outbox = TestOutbox.create();
    private TestRelay relay;
    private Jobs retries;

    @BeforeEach
    void dieFirst() throws Exception {
        retries = new Jobs(outbox.dataSource());
        destination.before(arrival -> {
            if (refuses && arrival.id() <= LETTERS) {
                throw new SerializationException("told to be poison");
            }
        });
        outbox.insertMany(LETTERS, LETTERS);
        relay = TestRelay.startAsShipped(outbox, "orders", destination);
        eventually(() -> {
            outbox.insert("good"); // traffic continues
            assertThat(outbox.dead("orders")).hasSize(LETTERS);
        });
    }

    @Test
    void a_bulk_retry_stops_when_the_first_five_fail_again_and_says_so() throws Exception {
        Job ended = ended(retryAll());

        assertThat(ended.state()).isEqualTo(Job.State.STOPPED);
        assertThat(ended.done()).isEqualTo(5);
        assertThat(ended.left()).isEqualTo(LETTERS - 5);
        assertThat(ended.statement()).contains("It stopped because ", " failed again, with ", "told to be poison");
        eventually(() -> assertThat(outbox.dead("orders")).hasSize(LETTERS));
    }

    @Test
    void a_bulk_retry_goes_on_when_the_first_five_are_delivered_also_when_relays_take_over_its_steps()
            throws Exception {
        refuses = false;

        Job ended = ended(retryAll());

        assertThat(ended.state()).isEqualTo(Job.State.DONE);
        assertThat(ended.done()).isEqualTo(LETTERS);
        assertThat(ended.delivered()).isEqualTo(LETTERS);
        assertThat(destination.ids())
                .containsAll(LongStream.rangeClosed(1, LETTERS).boxed().toList());
    }

    @Test
    void while_no_relay_works_the_subscription_there_is_nothing_to_observe() throws Exception {
        assertThat(retries.isObserved("orders")).isTrue();

        relay.close();

        eventually(() -> assertThat(retries.isObserved("orders")).isFalse());
    }

    private Job retryAll() throws Exception {
        return retries.startBulkRetry(
                MessageFilter.ALL, "orders", LETTERS, OptionalInt.empty(), new Actor("anna", Optional.empty()));
    }

    /** Two processes make steps at the same time. */
    private Job ended(Job started) throws Exception {
        var relays = Executors.newFixedThreadPool(2);
        try {
            for (int relay = 0; relay < 2; relay++) {
                relays.submit(() -> {
                    while (!Thread.currentThread().isInterrupted() && retries.stepAll()) {
                        Thread.onSpinWait();
                    }
                    return null;
                });
            }
            eventually(() -> assertThat(retries.find(started.id()).orElseThrow().isRunning())
                    .isFalse());
        } finally {
            relays.shutdownNow();
        }
        return retries.find(started.id()).orElseThrow();
    }
}
