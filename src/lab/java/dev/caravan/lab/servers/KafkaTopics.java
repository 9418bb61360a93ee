package dev.caravan.lab.servers;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Creates and deletes topics of a Kafka. */
public final class KafkaTopics {
    private static final long TIMEOUT_SECONDS = 30;

    private final Map<String, Object> client;

    /** @param brokers the value of {@code bootstrap.servers} for clients */
    public KafkaTopics(String brokers) {
        client = Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, brokers);
    }

    /**
     * Creates a topic with one replica, unless it exists, and waits until each of its partitions has a leader. Before that, the
     * broker may refuse the first batch of a producer and accept a later one. The producer then never succeeds with the first one.
     *
     * @param configuration options of the topic, for example {@code message.timestamp.type}
     */
    public void create(String name, int partitions, Map<String, String> configuration) {
        run("create topic " + name, admin -> {
            createUnlessItExists(admin, new NewTopic(name, partitions, (short) 1).configs(configuration));
            awaitLeaders(admin, name, partitions);
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

    private static void awaitLeaders(Admin admin, String topic, int partitions)
            throws ExecutionException, InterruptedException, TimeoutException {
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            ends.put(new TopicPartition(topic, partition), OffsetSpec.latest());
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        while (true) {
            try {
                admin.listOffsets(ends).all().get(TIMEOUT_SECONDS, TimeUnit.SECONDS); // only leaders answer
                return;
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException) || System.nanoTime() > end) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(20); // the broker does not know the topic yet
            }
        }
    }
}
