package dev.caravan.component;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.deadletter.DeadLetterFilter;
import dev.caravan.deadletter.DeadLetterSearch;
import dev.caravan.deadletter.DeadLetters;
import dev.caravan.deadletter.FirstRetries;
import dev.caravan.deadletter.FrozenSet;
import dev.caravan.deadletter.Pace;
import dev.caravan.deadletter.Signature;
import dev.caravan.deadletter.Sweep;
import java.util.Optional;
import java.util.stream.LongStream;
import org.apache.kafka.common.errors.SerializationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Many dead letters that a person retries while a relay works their subscription. */
class BulkRetryTest {
    private static final int LETTERS = 40;

    private final Destination destination = new Destination();
    private volatile boolean refuses = true;
    private TestOutbox outbox;
    private TestRelay relay;

    @BeforeEach
    void dieFirst() throws Exception {
        outbox = TestOutbox.create();
        destination.before(arrival -> {
            if (refuses && arrival.id() <= LETTERS) {
                throw new SerializationException("told to be poison");
            }
        });
        outbox.insertMany(LETTERS, LETTERS);
        relay = TestRelay.startAsShipped(outbox, "orders", destination);
        eventually(() -> {
            outbox.insert("good"); // traffic goes on
            assertThat(outbox.dead("orders")).hasSize(LETTERS);
        });
    }

    @AfterEach
    void close() throws Exception {
        relay.close();
        outbox.close();
    }

    @Test
    void a_bulk_retry_stops_when_the_first_five_fail_again() throws Exception {
        Sweep sweep = retryAll();

        assertThat(sweep.done()).isEqualTo(5);
        assertThat(sweep.refusal()).hasValueSatisfying(why -> assertThat(why)
                .contains("of the first 5 retried of orders failed again, so the others were left alone"));
        eventually(() -> assertThat(outbox.dead("orders")).hasSize(LETTERS));
        assertThat(outbox.jdbc().queryForObject("select count(*) from outbox_audit", Long.class))
                .isEqualTo(5);
    }

    @Test
    void a_bulk_retry_goes_on_when_the_first_five_are_delivered() throws Exception {
        refuses = false;

        Sweep sweep = retryAll();

        assertThat(sweep.refusal()).isEmpty();
        assertThat(sweep.done()).isEqualTo(LETTERS);
        eventually(() -> assertThat(destination.ids())
                .containsAll(LongStream.rangeClosed(1, LETTERS).boxed().toList()));
    }

    @Test
    void while_no_relay_works_the_subscription_all_are_retried_and_wait() throws Exception {
        relay.close();

        Sweep sweep = retryAll();

        assertThat(sweep.refusal()).isEmpty();
        assertThat(outbox.waiting("orders")).hasSize(LETTERS);
    }

    private Sweep retryAll() throws Exception {
        Signature anna = new Signature("anna", Optional.empty());
        DeadLetters letters = new DeadLetters(outbox.unpooled());
        FrozenSet all = new DeadLetterSearch(outbox.unpooled()).freeze(DeadLetterFilter.all(), found -> true);
        Sweep sweep = new Sweep(
                chunk -> letters.retry(chunk, anna),
                new Pace(0, Pace.Time.REAL),
                new FirstRetries(outbox.unpooled(), Pace.Time.REAL));
        sweep.run(all, () -> true, done -> {});
        return sweep;
    }
}
