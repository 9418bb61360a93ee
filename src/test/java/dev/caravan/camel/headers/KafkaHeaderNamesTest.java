package dev.caravan.camel.headers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.camel.component.kafka.KafkaConstants;
import org.junit.jupiter.api.Test;

class KafkaHeaderNamesTest {
    /** The newer names are those of Camel 4.18.3. */
    @Test
    void each_header_of_the_kafka_component_has_both_names() {
        assertThat(List.of(
                        KafkaConstants.PARTITION_KEY,
                        KafkaConstants.PARTITION,
                        KafkaConstants.KEY,
                        KafkaConstants.TOPIC,
                        KafkaConstants.OVERRIDE_TOPIC,
                        KafkaConstants.OFFSET,
                        KafkaConstants.HEADERS,
                        KafkaConstants.LAST_RECORD_BEFORE_COMMIT,
                        KafkaConstants.LAST_POLL_RECORD,
                        KafkaConstants.TIMESTAMP,
                        KafkaConstants.OVERRIDE_TIMESTAMP,
                        KafkaConstants.KAFKA_RECORD_META))
                .extracting(KafkaHeaderNames::newer)
                .containsExactly(
                        "CamelKafkaPartitionKey",
                        "CamelKafkaPartition",
                        "CamelKafkaKey",
                        "CamelKafkaTopic",
                        "CamelKafkaOverrideTopic",
                        "CamelKafkaOffset",
                        "CamelKafkaHeaders",
                        "CamelKafkaLastRecordBeforeCommit",
                        "CamelKafkaLastPollRecord",
                        "CamelKafkaTimestamp",
                        "CamelKafkaOverrideTimestamp",
                        "CamelKafkaRecordMeta");
        assertThat(KafkaHeaderNames.newer("Kafka.key")).isEqualTo("CamelKafkaKey");
        assertThat(KafkaHeaderNames.newer("kafka.other")).isEqualTo("kafka.other");
        assertThat(KafkaHeaderNames.both("CamelKafkaKey")).isEqualTo(KafkaHeaderNames.both("kafka.KEY"));
    }
}
