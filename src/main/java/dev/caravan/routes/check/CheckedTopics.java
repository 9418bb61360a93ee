package dev.caravan.routes.check;

import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.Sentence;
import dev.caravan.camel.kafka.TopicLimit;
import dev.caravan.routes.context.CamelReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Checks whether the topics named in routes exist. Creates missing topics if requested. */
final class CheckedTopics {
    private static final String AREA = "destinations";
    private static final int TIMEOUT_SECONDS = 10;

    private final Admin admin;
    private final boolean create;

    CheckedTopics(Admin admin, boolean create) {
        this.admin = admin;
        this.create = create;
    }

    /** @param batchSizes the batch size of the producer, by topic */
    List<CheckResult> findings(SortedMap<String, Integer> batchSizes) throws InterruptedException, TimeoutException {
        List<CheckResult> findings = new ArrayList<>();
        for (var topic : batchSizes.entrySet()) {
            findings.add(finding(topic.getKey(), topic.getValue()));
        }
        return findings;
    }

    private CheckResult finding(String topic, int batchSize) throws InterruptedException, TimeoutException {
        try {
            int partitions = admin.describeTopics(List.of(topic))
                    .topicNameValues()
                    .get(topic)
                    .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                    .partitions()
                    .size();
            return ok(topic, "exists, " + Formatted.counted(partitions, "partition") + limit(topic, batchSize));
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return create ? created(topic, batchSize) : missing(topic);
            }
            if (e.getCause() instanceof AuthorizationException) {
                return ok(topic, "not checked: this login is not authorized to describe it");
            }
            return e.getCause() instanceof RetriableException
                    ? problem(topic, "could not be checked: " + CamelReason.of(e))
                    : problem(
                            topic,
                            "cannot be used: " + Sentence.of(CamelReason.of(e)) + " Correct its name in the route");
        }
    }

    /** Creates a topic with the brokers' default number of partitions and replicas. */
    private CheckResult created(String topic, int batchSize) throws InterruptedException, TimeoutException {
        try {
            int partitions = admin.createTopics(List.of(new NewTopic(topic, Optional.empty(), Optional.empty())))
                    .numPartitions(topic)
                    .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            return ok(topic, "was created, " + Formatted.counted(partitions, "partition") + limit(topic, batchSize));
        } catch (ExecutionException e) {
            return e.getCause() instanceof TopicExistsException
                    ? ok(topic, "exists: another process has created it just now")
                    : problem(topic, "could not be created: " + CamelReason.of(e));
        }
    }

    /** What a limit below the batch size means; empty if there is none. */
    private String limit(String topic, int batchSize) throws InterruptedException {
        int limit = TopicLimit.of(admin, Set.of(topic)).getOrDefault(topic, batchSize);
        return limit >= batchSize
                ? ""
                : ". It accepts at most " + limit
                        + " bytes (max.message.bytes), less than producerBatchSize " + batchSize
                        + ": batches are made smaller, and a larger message becomes a dead letter";
    }

    private static CheckResult missing(String topic) {
        return problem(
                topic,
                "does not exist. Create it yourself, or, when settings and routes have no problem, with the brokers' default"
                        + " partitions and replicas: ./caravan check --create-topics");
    }

    private static CheckResult ok(String topic, String text) {
        return CheckResult.ok(AREA, "topic " + topic, text);
    }

    private static CheckResult problem(String topic, String text) {
        return CheckResult.problem(AREA, "topic " + topic, text);
    }
}
