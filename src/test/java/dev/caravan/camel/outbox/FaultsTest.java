package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.batch.BatchMessage;
import dev.caravan.camel.guard.Fault;
import dev.caravan.engine.schedule.Outcome;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.DefaultExchange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FaultsTest {
    private static final Fault RETRY = new Fault(Outcome.RETRY, null, null, null, List.of(), false);
    private static final Fault DEAD = new Fault(Outcome.DEAD, null, null, null, List.of(), false);

    private final DefaultCamelContext camel = new DefaultCamelContext();

    @AfterEach
    void close() throws Exception {
        camel.close();
    }

    @Test
    void the_fault_of_an_exchange_with_one_message_is_that_of_the_message() {
        assertThat(Faults.of(null, null, 1)).isEqualTo(new Faults(Arrays.asList((Fault) null), null));
        assertThat(Faults.of(RETRY, null, 1)).isEqualTo(new Faults(List.of(RETRY), null));
        assertThat(Faults.of(RETRY, batch(DEAD), 1)).isEqualTo(new Faults(List.of(RETRY), null));
        assertThat(Faults.of(null, batch(DEAD), 1)).isEqualTo(new Faults(List.of(DEAD), null));
    }

    @Test
    void a_fault_of_several_messages_is_that_of_all_unless_each_has_its_own() {
        assertThat(Faults.of(null, batch(null, DEAD), 2)).isEqualTo(new Faults(Arrays.asList(null, DEAD), null));
        assertThat(Faults.of(RETRY, batch(null, DEAD), 2)).isEqualTo(new Faults(Arrays.asList(null, DEAD), RETRY));
        assertThat(Faults.of(RETRY, batch(DEAD, DEAD), 2)).isEqualTo(new Faults(List.of(DEAD, DEAD), null));
    }

    @Test
    void a_batch_that_could_not_be_created_fails_together() {
        assertThat(Faults.of(RETRY, null, 3)).isEqualTo(new Faults(Arrays.asList(null, null, null), RETRY));
    }

    private MessageBatch batch(Fault... faults) {
        MessageBatch batch = MessageBatch.begin(
                new DefaultExchange(camel),
                Stream.of(faults)
                        .map(fault -> new BatchMessage(camel, "key", header -> {}))
                        .toList());
        for (int i = 0; i < faults.length; i++) {
            if (faults[i] != null) {
                batch.messages().get(i).fail(faults[i]);
            }
        }
        return batch;
    }
}
