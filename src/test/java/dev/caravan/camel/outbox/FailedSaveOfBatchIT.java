package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.headers.OutboxConstants;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The connection to the database ends while the results of a batch are saved. */
class FailedSaveOfBatchIT {
    private static final int COUNT = 40;
    private static final int KEYS = 8;
    /** Fails alone at its first attempt. */
    private static final long FAILING = 13;

    private final List<Long> arrived = Collections.synchronizedList(new ArrayList<>());
    private final AtomicBoolean fails = new AtomicBoolean(true);

    @ParameterizedTest
    @EnumSource(names = "ANSWER")
    void only_later_messages_of_the_failed_one_are_repeated(FailingSaves.Point point) throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            outbox.insertMany(COUNT, KEYS);
            FailingSaves saves = new FailingSaves(outbox.pool(), point);
            saves.fail(1);
            String uri = "orders?batching=true&batchMaxMessages=" + COUNT + "&backoff=1ms&maxBackoff=1ms";
            try (TestRelay relay = TestRelay.start(saves, uri, this::deliver)) {
                outbox.awaitPassed("orders", COUNT);
                eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
            }

            assertThat(saves.left()).isZero();
            assertThat(arrived).filteredOn(id -> !isRepeated(id)).doesNotHaveDuplicates();
            assertThat(arrived).filteredOn(FailedSaveOfBatchIT::isRepeated).hasSize(2 * 3);
            for (int key = 0; key < KEYS; key++) {
                assertThat(lastArrivals(key))
                        .as("key %d", key)
                        .hasSize(COUNT / KEYS)
                        .isSorted();
            }
        }
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(names = "ANSWER", mode = EnumSource.Mode.EXCLUDE)
    void nor_are_more_repeated_when_a_save_fails_at_another_point(FailingSaves.Point point) throws Exception {
        only_later_messages_of_the_failed_one_are_repeated(point);
    }

    private void deliver(Exchange exchange) {
        MessageBatch batch = MessageBatch.of(exchange);
        for (Message message : batch) {
            long id = message.getHeader(OutboxConstants.POSITION, Long.class);
            if (id == FAILING && fails.getAndSet(false)) {
                batch.failed(message, "version conflict");
            } else {
                arrived.add(id);
            }
        }
    }

    /** The three later messages of its key are in the same batch, and are sent again after it. */
    private static boolean isRepeated(long id) {
        return id > FAILING && id % KEYS == FAILING % KEYS;
    }

    private List<Long> lastArrivals(int key) {
        List<Long> ofKey = arrived.stream().filter(id -> id % KEYS == key).toList();
        return ofKey.stream()
                .distinct()
                .sorted((one, other) -> Integer.compare(ofKey.lastIndexOf(one), ofKey.lastIndexOf(other)))
                .toList();
    }
}
