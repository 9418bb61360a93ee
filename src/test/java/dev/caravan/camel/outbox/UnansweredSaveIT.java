package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The connection ends before the answer to the commit of a save comes: the relay reads whether it was committed. */
class UnansweredSaveIT {
    @Test
    void a_dead_letter_that_a_person_discarded_after_an_unanswered_commit_does_not_come_back() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            Person person = new Person(outbox);
            AtomicInteger discarded = new AtomicInteger();
            TestDestination destination = new TestDestination();
            destination.failIf(arrival -> !arrival.key().equals("good"));
            var losing = FailingSaves.atFirstCommit(outbox.pool(), connection -> {
                connection.commit();
                discarded.set(person.discardAll());
            });
            try (var relay = TestRelay.start(losing, "orders?maxAttempts=1", destination)) {
                outbox.insert("a");
                long after = outbox.insert("good");

                eventually(() -> assertThat(discarded.get()).isEqualTo(1));
                eventually(() -> assertThat(outbox.saved("orders").position()).isEqualTo(after));
                long next = outbox.insert("b");
                eventually(() -> assertThat(outbox.dead("orders")).containsExactly(next));
            }
        }
    }

    @Test
    void what_was_not_committed_is_part_of_the_next_save() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            TestDestination destination = new TestDestination();
            destination.failIf(arrival -> true);
            var losing = FailingSaves.atFirstCommit(outbox.pool(), Connection::rollback);
            try (var relay = TestRelay.start(losing, "orders?maxAttempts=1", destination)) {
                outbox.insert("a");

                eventually(() -> assertThat(outbox.dead("orders")).hasSize(1));
                assertThat(losing.reached()).isEqualTo(2);
            }
        }
    }
}
