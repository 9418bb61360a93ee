package dev.caravan.lab.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("long")
class KafkaBrokerIT {
    @Test
    void a_record_that_was_sent_is_read_back_by_a_consumer_group() throws Exception {
        try (var broker = KafkaBroker.start()) {
            broker.createTopic("orders", 2);
            broker.createTopic("orders", 3); // exists with fewer partitions, and is ready

            try (var producer = new KafkaProducer<>(
                    Map.<String, Object>of("bootstrap.servers", broker.bootstrapServers()),
                    new StringSerializer(),
                    new StringSerializer())) {
                producer.send(new ProducerRecord<>("orders", "B-1", "placed")).get();
            }

            assertThat(firstValue(broker)).isEqualTo("placed");
        }
    }

    private static String firstValue(KafkaBroker broker) {
        Map<String, Object> properties = Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrapServers(),
                ConsumerConfig.GROUP_ID_CONFIG, "test",
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        try (var consumer = new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of("orders"));
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (System.nanoTime() < deadline) {
                for (var record : consumer.poll(Duration.ofMillis(500))) {
                    return record.value();
                }
            }
            return null;
        }
    }
}
