package dev.caravan.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.audit.Actor;
import dev.caravan.deadletter.DeadLetterFilter;
import dev.caravan.deadletter.DeadLetterSearch;
import dev.caravan.deadletter.DeadLetters;
import dev.caravan.deadletter.FirstRetries;
import dev.caravan.selection.BulkChange;
import dev.caravan.selection.ChangePace;
import dev.caravan.selection.Selection;
import java.util.Optional;
import java.util.stream.LongStream;
import org.apache.kafka.common.errors.SerializationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Many dead letters that a person retries while a relay works their subscription. */
class BulkRetryIT {
    private static final int LETTERS = 40;

    private final TestDestination destination = new TestDestination();
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
        BulkChange sweep = retryAll();

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

        BulkChange sweep = retryAll();

        assertThat(sweep.refusal()).isEmpty();
        assertThat(sweep.done()).isEqualTo(LETTERS);
        eventually(() -> assertThat(destination.ids())
                .containsAll(LongStream.rangeClosed(1, LETTERS).boxed().toList()));
    }

    @Test
    void while_no_relay_works_the_subscription_all_are_retried_and_wait() throws Exception {
        relay.close();

        BulkChange sweep = retryAll();

        assertThat(sweep.refusal()).isEmpty();
        assertThat(outbox.waiting("orders")).hasSize(LETTERS);
    }

    private BulkChange retryAll() throws Exception {
        Actor anna = new Actor("anna", Optional.empty());
        DeadLetters letters = new DeadLetters(outbox.unpooled());
        Selection all = new DeadLetterSearch(outbox.unpooled()).select(DeadLetterFilter.all(), found -> true);
        BulkChange sweep = new BulkChange(
                chunk -> letters.retry(chunk, anna),
                new ChangePace(0, ChangePace.Time.REAL),
                new FirstRetries(outbox.unpooled(), ChangePace.Time.REAL));
        sweep.run(all, () -> true, done -> {});
        return sweep;
    }
}
