package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.lab.servers.KafkaBroker;
import dev.caravan.lab.servers.KafkaTopics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckedTopicsIT {
    private static KafkaBroker broker;
    private static TestOutbox database;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() throws Exception {
        broker = KafkaBroker.start();
        database = TestOutbox.create();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Test
    void a_topic_that_does_not_exist_is_a_problem_until_it_is_created() throws Exception {
        broker.createTopic("present", 2);
        routes("present", "kafka:missing?lingerMs=5");

        check().assertEnded(
                        1,
                        "topic present: exists, 2 partitions",
                        "topic missing: does not exist",
                        "./caravan check --create-topics",
                        "1 problem found.");

        check("--create-topics").assertDone("topic missing: was created, 3 partitions");

        check().assertDone();
    }

    @Test
    void a_topic_that_accepts_less_than_the_batch_size_is_named_with_its_limit() throws Exception {
        new KafkaTopics(broker.bootstrapServers()).create("narrow", 1, Map.of("max.message.bytes", "10000"));
        routes("narrow", "kafka:narrow?producerBatchSize=20000");

        check().assertDone(
                        "topic narrow: exists, 1 partition. It accepts at most 10000 bytes (max.message.bytes), less than"
                                + " producerBatchSize 20000");
    }

    @Test
    void nothing_is_created_while_a_route_is_wrong() throws Exception {
        routes("wrong", "kafka:wrong?lingerMs=quick");

        check("--create-topics").assertWrongUse();
        routes("wrong", "log:a");
        assertThat(check().out()).contains("topic wrong: does not exist");
    }

    @Test
    @Tag("long")
    void topics_on_other_brokers_are_not_checked() throws Exception {
        broker.createTopic("here", 1);
        routes("here", "kafka:elsewhere?brokers=localhost:1");

        assertThat(check().out()).contains("topic here: exists").doesNotContain("elsewhere");
    }

    @Test
    void the_topics_of_the_shipped_route_to_kafka_are_created() throws Exception {
        Path routes = Files.createDirectories(folder.resolve("routes"));
        Files.copy(Path.of("routes/orders-to-kafka.camel.yaml"), routes.resolve("orders-to-kafka.camel.yaml"));

        check("--create-topics").assertDone("topic bookings: was created", "topic orders: was created");
    }

    private CommandRun check(String... options) throws IOException {
        String config =
                CommandRun.config(folder, database, "camel.component.kafka.brokers=" + broker.bootstrapServers());
        return CommandRun.of(List.of("check", "--config", config), options);
    }

    private void routes(String topic, String second) throws IOException {
        Path routes = Files.createDirectories(folder.resolve("routes"));
        Files.writeString(routes.resolve("topics.camel.yaml"), """
                - route:
                    id: topics
                    from:
                      uri: outbox:topics
                      steps:
                        - to:
                            uri: kafka:%s
                        - to:
                            uri: "%s"
                """.formatted(topic, second));
    }
}
