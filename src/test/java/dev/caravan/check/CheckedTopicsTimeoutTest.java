package dev.caravan.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.Test;

class CheckedTopicsTimeoutTest {
    @Test
    void brokers_that_do_not_answer_are_no_reason_to_change_the_name_of_a_topic() throws Exception {
        CheckResult result = new CheckedTopics(withoutAnswer(), false)
                .findings(List.of("orders"))
                .get(0);

        assertThat(result.ok()).isFalse();
        assertThat(result.text()).contains("could not be checked", "Timed out").doesNotContain("Correct its name");
    }

    private static Admin withoutAnswer() {
        return (Admin) Proxy.newProxyInstance(
                CheckedTopicsTimeoutTest.class.getClassLoader(),
                new Class<?>[] {Admin.class},
                (proxy, method, values) -> {
                    var answer = new KafkaFutureImpl<TopicDescription>();
                    answer.completeExceptionally(new TimeoutException("Timed out waiting for a node assignment"));
                    return new Result(Map.of("orders", answer));
                });
    }

    private static final class Result extends DescribeTopicsResult {
        Result(Map<String, KafkaFuture<TopicDescription>> topics) {
            super(null, topics);
        }
    }
}
