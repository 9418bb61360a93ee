package dev.caravan.lab.bench.run;

import dev.caravan.lab.servers.KafkaTopics;
import java.util.Map;

/** A topic whose records have the time of the append in the broker, in milliseconds. */
public record Topic(String brokers, String name) implements AutoCloseable {
    private static final int PARTITIONS = 6;

    public static Topic create(String brokers, String name) {
        new KafkaTopics(brokers).create(name, PARTITIONS, Map.of("message.timestamp.type", "LogAppendTime"));
        return new Topic(brokers, name);
    }

    @Override
    public void close() {
        new KafkaTopics(brokers).delete(name);
    }
}
