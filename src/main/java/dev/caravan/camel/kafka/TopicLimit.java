package dev.caravan.camel.kafka;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;

/** Reads the size in bytes of the largest batch of records, or single record, that topics accept. */
public final class TopicLimit {
    private static final String OF_BROKERS = "message.max.bytes";
    private static final int TIMEOUT_SECONDS = 5;
    /** Some servers with the protocol of Kafka have another value if they have no limit, such as -1. */
    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,8}");

    private TopicLimit() {}

    /**
     * Returns the limits of topics: that of the brokers if the one of a topic cannot be read, and none if neither can be, for example because
     * the login is not authorized to.
     */
    public static Map<String, Integer> of(Admin admin, Set<String> topics) throws InterruptedException {
        Map<String, Integer> limits =
                limits(admin, ConfigResource.Type.TOPIC, topics, TopicConfig.MAX_MESSAGE_BYTES_CONFIG);
        if (limits.size() < topics.size()) {
            limits(admin, ConfigResource.Type.BROKER, brokers(admin), OF_BROKERS).values().stream()
                    .min(Comparator.naturalOrder())
                    .ifPresent(least -> topics.forEach(topic -> limits.putIfAbsent(topic, least)));
        }
        return limits;
    }

    private static Set<String> brokers(Admin admin) throws InterruptedException {
        try {
            return answer(admin.describeCluster().nodes()).stream()
                    .map(Node::idString)
                    .collect(Collectors.toSet());
        } catch (ExecutionException | TimeoutException e) {
            return Set.of();
        }
    }

    /** The limits that can be read. */
    private static Map<String, Integer> limits(Admin admin, ConfigResource.Type type, Set<String> names, String setting)
            throws InterruptedException {
        List<ConfigResource> resources =
                names.stream().map(name -> new ConfigResource(type, name)).toList();
        Map<String, Integer> limits = new HashMap<>();
        for (var future : admin.describeConfigs(resources).values().entrySet()) {
            try {
                ConfigEntry limit = answer(future.getValue()).get(setting);
                if (limit != null
                        && limit.value() != null
                        && NUMBER.matcher(limit.value()).matches()) {
                    limits.put(future.getKey().name(), Integer.parseInt(limit.value()));
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
