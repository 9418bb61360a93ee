package dev.caravan.lab.torture.receiver;

import dev.caravan.lab.servers.KafkaTopics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads a topic after the run. Records of a key are in the order of the log. */
public final class KafkaReceiver {
    private KafkaReceiver() {}

    public static List<Arrival> all(String brokers, String topic) {
        List<Arrival> arrivals = new ArrayList<>();
        new KafkaTopics(brokers).read(topic, new ByteArrayDeserializer(), record -> arrivals.add(arrival(record)));
        return arrivals;
    }

    private static Arrival arrival(ConsumerRecord<byte[], byte[]> record) {
        try {
            return new Arrival(
                    header(record, "id"),
                    new String(record.key(), StandardCharsets.UTF_8),
                    TorturePayload.parse(record.value()).sequence(),
                    header(record, "relay"),
                    record.timestamp());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }
}
