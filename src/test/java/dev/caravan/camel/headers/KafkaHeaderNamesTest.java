package dev.caravan.camel.headers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.camel.component.kafka.KafkaConstants;
import org.junit.jupiter.api.Test;

class KafkaHeaderNamesTest {
    private final KafkaHeaderNames names = new KafkaHeaderNames();

    @Test
    void both_names_and_any_case_are_one_header_whose_last_value_counts() {
        Map<String, Object> headers = names.newMap();
        headers.put("kafka.KEY", 1);
        headers.put("CamelKafkaKey", 2);
        assertThat(headers).hasSize(1);
        assertThat(headers.get("KAFKA.key")).isEqualTo(2);

        headers.put("kafka.OVERRIDE_TOPIC", 3);
        headers.put("type", 4);
        assertThat(headers.get("camelkafkaoverridetopic")).isEqualTo(3);
        assertThat(headers.get("TYPE")).isEqualTo(4);

        headers.remove("CamelKafkaOverrideTopic");
        headers.remove("Kafka.Key");
        assertThat(headers).containsOnlyKeys("type");
    }

    @Test
    void of_a_map_with_both_names_the_newer_one_counts() {
        for (List<String> order :
                List.of(List.of("kafka.KEY", "CamelKafkaKey"), List.of("CamelKafkaKey", "kafka.KEY"))) {
            Map<String, Object> given = new LinkedHashMap<>();
            order.forEach(name -> given.put(name, name));

            assertThat(names.newMap(given).get(KafkaConstants.KEY)).isEqualTo("CamelKafkaKey");
        }
    }

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
        assertThat(KafkaHeaderNames.newer("kafka.other")).isEqualTo("kafka.other");
        assertThat(KafkaHeaderNames.both("CamelKafkaKey")).isEqualTo(KafkaHeaderNames.both("kafka.KEY"));
    }
}
