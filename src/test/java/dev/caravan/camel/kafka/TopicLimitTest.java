package dev.caravan.camel.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeClusterResult;
import org.apache.kafka.clients.admin.DescribeConfigsResult;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;

/** What servers with the protocol of Kafka answer. */
class TopicLimitTest {
    @Test
    void a_limit_that_is_no_number_of_bytes_is_none() throws Exception {
        Set<String> topics = Set.of("1000", "-1", "0", "", "unlimited", "9223372036854775807", "1000.0");

        assertThat(TopicLimit.of(answering(topic -> topic), topics)).isEqualTo(Map.of("1000", 1000));
    }

    /** @param limits the value of the setting by the name of the topic */
    private static Admin answering(Function<String, String> limits) {
        return (Admin) Proxy.newProxyInstance(
                TopicLimitTest.class.getClassLoader(), new Class<?>[] {Admin.class}, (admin, method, arguments) -> {
                    if (method.getName().equals("describeCluster")) {
                        return cluster();
                    }
                    return new Answer(((Collection<?>) arguments[0])
                            .stream()
                                    .map(ConfigResource.class::cast)
                                    .collect(Collectors.toMap(
                                            topic -> topic, topic -> config(limits.apply(topic.name())))));
                });
    }

    private static KafkaFuture<Config> config(String limit) {
        return KafkaFuture.completedFuture(new Config(List.of(new ConfigEntry("max.message.bytes", limit))));
    }

    private static DescribeClusterResult cluster() throws ReflectiveOperationException {
        Constructor<?> constructor = DescribeClusterResult.class.getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        Object[] parts = new Object[constructor.getParameterCount()];
        Arrays.fill(parts, KafkaFuture.completedFuture(List.of()));
        return (DescribeClusterResult) constructor.newInstance(parts);
    }

    private static final class Answer extends DescribeConfigsResult {
        private Answer(Map<ConfigResource, KafkaFuture<Config>> configs) {
            super(configs);
        }
    }
}
