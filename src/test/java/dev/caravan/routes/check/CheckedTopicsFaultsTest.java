package dev.caravan.routes.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.Test;

/** Answers of brokers that a test cannot obtain from a real broker. */
class CheckedTopicsFaultsTest {
    @Test
    void brokers_that_do_not_answer_are_no_reason_to_change_the_name_of_a_topic() throws Exception {
        CheckResult result = check(new TimeoutException("Timed out waiting for a node assignment"), null, false);

        assertThat(result.ok()).isFalse();
        assertThat(result.text()).contains("could not be checked", "Timed out").doesNotContain("Correct its name");
    }

    @Test
    void a_topic_that_another_process_creates_at_the_same_time_exists() throws Exception {
        CheckResult result =
                check(new UnknownTopicOrPartitionException(), new TopicExistsException("'orders' exists"), true);

        assertThat(result.text()).isEqualTo("exists: another process has created it just now");
        assertThat(result.ok()).isTrue();
    }

    private static CheckResult check(ApiException described, ApiException created, boolean create) throws Exception {
        Admin admin = (Admin) Proxy.newProxyInstance(
                CheckedTopicsFaultsTest.class.getClassLoader(),
                new Class<?>[] {Admin.class},
                (proxy, method, values) -> method.getName().equals("createTopics")
                        ? new Created(Map.of("orders", failed(created)))
                        : new Described(Map.of("orders", failed(described))));
        return new CheckedTopics(admin, create)
                .findings(new TreeMap<>(Map.of("orders", 16_384)))
                .get(0);
    }

    private static <T> KafkaFuture<T> failed(ApiException failure) {
        var answer = new KafkaFutureImpl<T>();
        answer.completeExceptionally(failure);
        return answer;
    }

    private static final class Described extends DescribeTopicsResult {
        Described(Map<String, KafkaFuture<TopicDescription>> topics) {
            super(null, topics);
        }
    }

    private static final class Created extends CreateTopicsResult {
        Created(Map<String, KafkaFuture<TopicMetadataAndConfig>> topics) {
            super(topics);
        }
    }
}
