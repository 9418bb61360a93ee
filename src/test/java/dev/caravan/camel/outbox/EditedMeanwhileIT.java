package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.errors.SerializationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A person edits a message while an attempt of it gets no answer. */
class EditedMeanwhileIT {
    private static final String EDITED = "{\"edited\": true}";

    /** How the attempt ends. */
    enum Answer {
        OK,
        ERROR,
        POISON;

        private void give() {
            if (this == ERROR) {
                throw new IllegalStateException("told to fail");
            }
            if (this == POISON) {
                throw new SerializationException("told to be poison");
            }
        }
    }

    private final TestDestination destination = new TestDestination();
    private final CountDownLatch hangs = new CountDownLatch(1);
    private final CountDownLatch answers = new CountDownLatch(1);
    private volatile Answer answer;
    private final TestOutbox outbox = TestOutbox.create();
    private final Person person = new Person(outbox);
    private TestRelay relay;

    @BeforeEach
    void create() throws Exception {
        destination.before(arrival -> {
            if (arrival.attempt() == 1 && !EDITED.equals(arrival.body())) {
                throw new IllegalStateException("told to fail");
            }
            if (arrival.attempt() == 2) {
                hangs.countDown();
                answers.await();
                answer.give();
            }
        });
    }

    @AfterEach
    void close() throws Exception {
        answers.countDown();
    }

    @ParameterizedTest
    @EnumSource(names = "ERROR")
    void the_edit_is_delivered_after_the_attempt_whatever_its_end(Answer end) throws Exception {
        answer = end;
        outbox.insert("a");
        relay = TestRelay.startAsShipped(outbox, "orders?backoff=1ms&maxBackoff=1ms&maxAttempts=1000", destination);
        hangs.await();

        person.giveUpAll();
        person.editAll(EDITED);
        answers.countDown();

        eventually(() -> assertThat(destination.arrivals())
                .extracting(TestDestination.Arrival::body)
                .endsWith(EDITED));
        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
        assertThat(outbox.dead("orders")).isEmpty();
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(names = "ERROR", mode = EnumSource.Mode.EXCLUDE)
    void the_edit_is_delivered_after_an_attempt_that_ends_otherwise(Answer end) throws Exception {
        the_edit_is_delivered_after_the_attempt_whatever_its_end(end);
    }
}
