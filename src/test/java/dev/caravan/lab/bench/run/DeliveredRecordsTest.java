package dev.caravan.lab.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class DeliveredRecordsTest {
    private final DeliveredRecords arrivals = new DeliveredRecords("orders", 4);

    @Test
    void everything_once_and_in_order_is_accepted() {
        arrive("a", 1, 1_000);
        arrive("b", 2, 1_001);
        arrive("b", 4, 1_002);
        arrive("a", 3, 1_003);

        assertThatCode(() -> arrivals.requireOnceInOrder(DeliveredRecords.ALL)).doesNotThrowAnyException();
    }

    @Test
    void a_missing_message_is_reported() {
        arrive("a", 1, 1_000);
        arrive("a", 2, 1_000);
        arrive("a", 4, 1_000);

        assertThatThrownBy(() -> arrivals.requireOnceInOrder(DeliveredRecords.ALL))
                .hasMessageContaining("Message 3 is missing");
    }

    @Test
    void a_message_that_must_not_arrive_is_reported() {
        arrive("a", 1, 1_000);

        assertThatThrownBy(() -> arrivals.requireOnceInOrder(number -> false))
                .hasMessageContaining("Message 1 must not arrive");
    }

    @Test
    void a_repeat_is_reported_unless_repeats_are_allowed() {
        arrive("a", 1, 1_000);
        arrive("a", 2, 1_001);
        arrive("a", 1, 1_002);

        assertThatThrownBy(() -> arrivals.requireOnceInOrder(number -> number < 3))
                .hasMessageContaining("1 message arrived twice");
        assertThatCode(() -> arrivals.requireAllInOrder(number -> number < 3)).doesNotThrowAnyException();
    }

    @Test
    void a_message_that_was_overtaken_by_one_of_its_key_is_reported() {
        arrive("a", 2, 1_000);
        arrive("b", 3, 1_001);
        arrive("a", 1, 1_002);

        assertThatThrownBy(() -> arrivals.requireAllInOrder(number -> number < 4))
                .hasMessageContaining("message 1 of key a arrived after 2");
    }

    @Test
    void the_rate_counts_from_the_first_to_the_last_record_of_those_asked_for() {
        arrive("a", 1, 1_000);
        arrive("b", 2, 9_000);
        arrive("a", 3, 1_500);

        assertThat(arrivals.rate(number -> number != 2)).isEqualTo(4.0);
    }

    private void arrive(String key, int number, long time) {
        arrivals.add(new ConsumerRecord<>(
                "orders",
                0,
                0,
                time,
                TimestampType.LOG_APPEND_TIME,
                0,
                0,
                key.getBytes(),
                ("{\"orderId\":" + number + ",\"text\":\"x\"}").getBytes(),
                new RecordHeaders(),
                Optional.empty()));
    }
}
