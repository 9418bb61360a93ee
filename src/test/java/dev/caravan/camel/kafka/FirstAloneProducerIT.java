package dev.caravan.camel.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestKafka;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** On a real broker, to topics that it creates with their first record. */
class FirstAloneProducerIT {
    private static final int COUNT = 2_000;
    private static final int KEYS = 97;

    /** A record that was sent, and whether the broker had stored it when the sender continued. */
    private record Sent(Future<RecordMetadata> answer, boolean alone) {}

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void the_first_record_to_each_partition_goes_alone_and_later_ones_do_not_wait(int partitions) throws Exception {
        String topic = TestKafka.newTopic(partitions);
        List<Sent> sent = new ArrayList<>();
        try (Producer<Object, Object> producer = producer()) {
            send(producer, topic, sent);
        }

        Set<Integer> seen = new HashSet<>();
        for (Sent each : sent) {
            if (seen.add(each.answer.get().partition())) {
                assertThat(each.alone).isTrue();
            }
        }
        assertThat(seen).hasSize(partitions);
        assertThat(sent).anyMatch(each -> !each.alone);
    }

    @Tag("long")
    @Test
    @Timeout(100) // a first batch out of sequence is tried for 120 s
    void records_to_new_topics_arrive_once_and_in_order() throws Exception {
        for (int i = 0; i < 10; i++) {
            String topic = TestKafka.newName();
            try (Producer<Object, Object> producer = producer()) {
                send(producer, topic, new ArrayList<>());
            }
            assertOnceAndInOrder(topic);
        }
    }

    @Test
    void the_record_after_one_that_is_refused_is_the_first_again() throws Exception {
        String topic = TestKafka.newTopic(1);
        try (Producer<Object, Object> producer = producer()) {
            var refused = producer.send(new ProducerRecord<>(topic, "a", "x".repeat(3_000_000)));
            assertThat(refused).failsWithin(Duration.ofSeconds(60));

            assertThat(producer.send(new ProducerRecord<>(topic, "a", "small"))).isDone();
        }
    }

    @Test
    void records_without_a_key_are_sent_too() throws Exception {
        String topic = TestKafka.newTopic(3);
        try (Producer<Object, Object> producer = producer()) {
            assertThat(producer.send(new ProducerRecord<>(topic, "x"))).succeedsWithin(Duration.ofSeconds(60));
            assertThat(producer.send(new ProducerRecord<>(topic, 2, null, "x"))).isDone();
        }
    }

    private static void send(Producer<Object, Object> producer, String topic, List<Sent> sent) {
        for (int i = 0; i < COUNT; i++) {
            var answer = producer.send(new ProducerRecord<>(topic, "key-" + i % KEYS, Integer.toString(i)));
            sent.add(new Sent(answer, answer.isDone()));
        }
    }

    private static Producer<Object, Object> producer() {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", TestKafka.brokers());
        settings.put("key.serializer", StringSerializer.class.getName());
        settings.put("value.serializer", StringSerializer.class.getName());
        return new KafkaClients(FirstAloneProducerIT.class.getClassLoader()).getProducer(settings);
    }

    private static void assertOnceAndInOrder(String topic) {
        Map<String, Integer> last = new HashMap<>();
        List<ConsumerRecord<String, String>> records = TestKafka.records(topic);
        for (var each : records) {
            int number = Integer.parseInt(each.value());
            assertThat(last.getOrDefault(each.key(), -1)).isLessThan(number);
            last.put(each.key(), number);
        }
        assertThat(records).hasSize(COUNT);
    }
}
