package dev.caravan.camel.kafka;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;

/** Reads the size in bytes of the largest batch of records, or single record, that topics accept. */
public final class TopicLimit {
    private static final String OF_BROKERS = "message.max.bytes";
    private static final int TIMEOUT_SECONDS = 5;

    private TopicLimit() {}

    /**
     * Returns the smallest limit of these topics. Reads that of the brokers if the limit of a topic cannot be read. Empty if no limit can be
     * read, for example because the login is not authorized to.
     */
    public static OptionalInt smallest(Admin admin, Collection<String> topics) throws InterruptedException {
        List<ConfigResource> resources = topics.stream()
                .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic))
                .toList();
        List<Integer> limits = limits(admin, resources, TopicConfig.MAX_MESSAGE_BYTES_CONFIG);
        if (limits.size() < topics.size()) {
            limits.addAll(limits(admin, brokers(admin), OF_BROKERS));
        }
        return limits.stream().mapToInt(Integer::intValue).min();
    }

    private static List<ConfigResource> brokers(Admin admin) throws InterruptedException {
        try {
            return answer(admin.describeCluster().nodes()).stream()
                    .map(node -> new ConfigResource(ConfigResource.Type.BROKER, node.idString()))
                    .toList();
        } catch (ExecutionException | TimeoutException e) {
            return List.of();
        }
    }

    /** The limits that can be read. */
    private static List<Integer> limits(Admin admin, List<ConfigResource> resources, String name)
            throws InterruptedException {
        List<Integer> limits = new ArrayList<>();
        for (KafkaFuture<Config> future :
                admin.describeConfigs(resources).values().values()) {
            try {
                ConfigEntry limit = answer(future).get(name);
                if (limit != null && limit.value() != null) {
                    limits.add(Integer.parseInt(limit.value()));
                }
            } catch (ExecutionException | TimeoutException e) {
                continue; // not authorized, or no such topic yet
            }
        }
        return limits;
    }

    private static <T> T answer(KafkaFuture<T> future)
            throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }
}
