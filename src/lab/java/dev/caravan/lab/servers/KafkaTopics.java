package dev.caravan.lab.servers;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.Deserializer;

/** Creates, reads and deletes topics of a Kafka. */
public final class KafkaTopics {
    private static final long TIMEOUT_SECONDS = 30;

    private final Map<String, Object> client;

    /** @param brokers the value of {@code bootstrap.servers} for clients */
    public KafkaTopics(String brokers) {
        client = Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, brokers);
    }

    /**
     * Creates a topic with one replica and waits until each of its partitions has a leader. A topic that exists keeps its number of
     * partitions. Before there is a leader, the broker may refuse the first batch of a producer and accept a later one. The
     * producer then never succeeds with the first one.
     *
     * @param configuration options of the topic, for example {@code message.timestamp.type}
     */
    public void create(String name, int partitions, Map<String, String> configuration) {
        run("create topic " + name, admin -> {
            createUnlessItExists(admin, new NewTopic(name, partitions, (short) 1).configs(configuration));
            awaitLeaders(admin, name);
        });
    }

    private static void createUnlessItExists(Admin admin, NewTopic topic)
            throws ExecutionException, InterruptedException, TimeoutException {
        try {
            admin.createTopics(List.of(topic)).all().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw e;
            }
        }
    }

    /** Deletes a topic with its records. */
    public void delete(String name) {
        run(
                "delete topic " + name,
                admin -> admin.deleteTopics(List.of(name)).all().get(TIMEOUT_SECONDS, TimeUnit.SECONDS));
    }

    /** Reads the records that a topic has now. Those of a key are in the order of the log. */
    public <T> void read(String name, Deserializer<T> deserializer, Consumer<ConsumerRecord<T, T>> records) {
        Map<String, Object> options = new HashMap<>(client);
        options.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        options.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 10_000);
        try (var consumer = new KafkaConsumer<>(options, deserializer, deserializer)) {
            List<TopicPartition> partitions = consumer.partitionsFor(name).stream()
                    .map(partition -> new TopicPartition(name, partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (partitions.stream().anyMatch(partition -> consumer.position(partition) < ends.get(partition))) {
                consumer.poll(Duration.ofMillis(100)).forEach(records);
            }
        }
    }

    @FunctionalInterface
    private interface Work {
        void with(Admin admin) throws ExecutionException, InterruptedException, TimeoutException;
    }

    private void run(String what, Work work) {
        try (Admin admin = Admin.create(client)) {
            work.with(admin);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("Could not " + what + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted; could not " + what, e);
        }
    }

    private static void awaitLeaders(Admin admin, String topic)
            throws ExecutionException, InterruptedException, TimeoutException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        while (true) {
            try {
                admin.listOffsets(ends(admin, topic))
                        .all()
                        .get(TIMEOUT_SECONDS, TimeUnit.SECONDS); // only leaders answer
                return;
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException) || System.nanoTime() > end) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(20); // the broker does not know the topic yet
            }
        }
    }

    /** For the partitions that the topic has: the client asks for a missing one without a pause until its timeout. */
    private static Map<TopicPartition, OffsetSpec> ends(Admin admin, String topic)
            throws ExecutionException, InterruptedException, TimeoutException {
        return admin
                .describeTopics(List.of(topic))
                .topicNameValues()
                .get(topic)
                .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .partitions()
                .stream()
                .map(TopicPartitionInfo::partition)
                .collect(Collectors.toMap(partition -> new TopicPartition(topic, partition), p -> OffsetSpec.latest()));
    }
}
