package dev.caravan.camel.outbox;

import dev.caravan.camel.outbox.TestOutbox.Waiting;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.errors.SerializationException;
import org.junit.jupiter.api.BeforeEach;

/** A relay with the policy that is shipped, on a real database, whose destination rejects chosen messages. */
abstract class FailureFixture {
    static final String PATIENT = "&maxAttempts=1000";
    final TestDestination destination = new TestDestination();
    final Set<Long> failing = ConcurrentHashMap.newKeySet();
    final Set<Long> poison = ConcurrentHashMap.newKeySet();
    final TestOutbox outbox = TestOutbox.create();
    final Person person = new Person(outbox);
    TestRelay relay;

    @BeforeEach
    void create() throws Exception {
        destination.before(arrival -> {
            if (poison.contains(arrival.id())) {
                throw new SerializationException("told to be poison");
            }
            if (failing.contains(arrival.id())) {
                throw new IllegalStateException("told to fail");
            }
        });
    }

    int attemptsOf(long id) {
        return outbox.waiting("orders").stream()
                .filter(waiting -> waiting.id() == id)
                .mapToInt(Waiting::attempts)
                .sum();
    }

    void start(String uri) throws Exception {
        relay = TestRelay.startAsShipped(outbox, uri, destination);
    }
}
