package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestKafka;
import dev.caravan.WrittenLog;
import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.kafka.KafkaClients;
import dev.caravan.lab.servers.FreePorts;
import dev.caravan.lab.servers.KafkaBroker;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.camel.Message;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the shipped error handling classifies the exceptions of a real Kafka producer. */
class KafkaPolicyIT {
    private final TestOutbox outbox = TestOutbox.create();
    private final WrittenLog log = WrittenLog.of(AttemptLog.class);

    @Test
    void a_record_that_is_too_large_is_dead_and_an_unavailable_broker_is_waited_for() throws Exception {
        try (KafkaBroker broker = KafkaBroker.start()) {
            broker.createTopic("events", 1);
            try (TestRelay relay = start(broker.bootstrapServers())) {
                outbox.insert("a");
                long large = outbox.insert("a", "order.created", "\"" + "x".repeat(2 << 20) + "\"");
                long last = outbox.insert("a");

                eventually(() -> {
                    assertThat(outbox.dead("orders")).containsExactly(large);
                    assertThat(outbox.passed("orders", last)).isTrue();
                    assertThat(outbox.waiting("orders")).isEmpty();
                });
                assertThat(outbox.text("select error_class from outbox_dead_letter"))
                        .isEqualTo("org.apache.kafka.common.errors.RecordTooLargeException");

                broker.close();
                outbox.insertMany(50, 10);
                eventually(Duration.ofSeconds(60), () -> assertThat(log.lines())
                        .anyMatch(line -> line.contains("The destination of orders is unavailable")));
                assertThat(outbox.waiting("orders")).isEmpty();
                assertThat(outbox.dead("orders")).containsExactly(large);
            }
        }
    }

    /** Kafka's client reports it as a timeout. As an outage it would hold back everything for ever. */
    @ParameterizedTest
    @ValueSource(strings = {"", "&order=strict", "&pipelined=true", "&batching=true"})
    void a_partition_that_the_topic_does_not_have_fails_its_message_and_not_the_destination(String options)
            throws Exception {
        String topic = TestKafka.newTopic(2);
        long id = outbox.insert("a");

        try (TestRelay relay = TestRelay.startAsShipped(
                outbox.pool(), routes -> routes.from("outbox:orders?maxAttempts=2&backoff=10ms" + options)
                        .process(exchange -> (options.contains("batching")
                                        ? MessageBatch.of(exchange).get(0)
                                        : exchange.getMessage())
                                .setHeader("CamelKafkaPartitionKey", 7))
                        .to("kafka:" + topic + "?brokers=" + TestKafka.brokers()))) {
            eventually(Duration.ofSeconds(30), () -> assertThat(outbox.dead("orders"))
                    .containsExactly(id));
        }
        assertThat(outbox.text("select error_text from outbox_dead_letter"))
                .isEqualTo("The topic " + topic + " does not have the partition 7");
        assertThat(log.lines()).noneMatch(line -> line.contains("is unavailable"));
    }

    /** As an outage it would hold back everything again and again, and in the order of the ids everything for ever. */
    @ParameterizedTest
    @ValueSource(strings = {"", "&pipelined=true", "&batching=true"})
    void a_topic_that_messages_name_and_that_does_not_exist_fails_them_and_not_the_destination(String options)
            throws Exception {
        try (KafkaBroker broker = KafkaBroker.start(false)) {
            broker.createTopic("orders-eu", 1);
            try (TestRelay relay = TestRelay.startAsShipped(
                    outbox.pool(), routes -> routes.from("outbox:orders?maxAttempts=2&backoff=10ms" + options)
                            .process(exchange -> (options.contains("batching")
                                            ? MessageBatch.of(exchange)
                                            : List.of(exchange.getMessage()))
                                    .forEach(KafkaPolicyIT::nameTopic))
                            .to("kafka:orders?brokers=" + broker.bootstrapServers()))) {
                for (int i = 0; i < 29; i++) {
                    outbox.insert(i % 3 == 0 ? "absent-" + i % 2 : "eu");
                }
                long last = outbox.insert("eu");

                eventually(Duration.ofSeconds(60), () -> {
                    assertThat(outbox.dead("orders")).hasSize(10);
                    assertThat(outbox.waiting("orders")).isEmpty();
                    assertThat(outbox.passed("orders", last)).isTrue();
                });
            }
        }
        assertThat(outbox.text("select min(error_text) from outbox_dead_letter"))
                .isEqualTo("The brokers have no topic orders-absent-0");
        assertThat(log.lines()).noneMatch(line -> line.contains("is unavailable"));
    }

    private static void nameTopic(Message message) {
        message.setHeader("CamelKafkaOverrideTopic", "orders-" + message.getHeader("aggregate-id", String.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "header", "toD"})
    void so_does_a_topic_of_an_address_that_a_step_computes(String kind) throws Exception {
        try (KafkaBroker broker = KafkaBroker.start(false)) {
            broker.createTopic("orders-eu", 1);
            String uri = "kafka:orders-${header.aggregate-id}?maxBlockMs=1000&brokers=" + broker.bootstrapServers();
            try (TestRelay relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
                var route = routes.from("outbox:orders?maxAttempts=2&backoff=10ms");
                switch (kind) {
                    case "simple" -> route.recipientList(routes.simple(uri));
                    case "header" -> route.setHeader("url", routes.simple(uri)).recipientList(routes.header("url"));
                    default -> route.toD().allowOptimisedComponents(false).uri(uri);
                }
            })) {
                long absent = outbox.insert("absent");
                long last = outbox.insert("eu");

                eventually(Duration.ofSeconds(30), () -> {
                    assertThat(outbox.dead("orders")).containsExactly(absent);
                    assertThat(outbox.passed("orders", last)).isTrue();
                });
            }
        }
        assertThat(log.lines()).noneMatch(line -> line.contains("is unavailable"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_topic_of_the_route_that_does_not_exist_is_waited_for(boolean isList) throws Exception {
        try (KafkaBroker broker = KafkaBroker.start(false);
                TestRelay relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
                    var route = routes.from("outbox:orders?maxAttempts=1");
                    String uri = "kafka:orders?brokers=" + broker.bootstrapServers();
                    if (isList) {
                        route.recipientList(routes.constant(uri));
                    } else {
                        route.to(uri);
                    }
                })) {
            long id = outbox.insert("a");
            eventually(Duration.ofSeconds(30), () -> assertThat(log.lines())
                    .anyMatch(line -> line.contains("is unavailable") && line.contains("have no topic orders")));

            broker.createTopic("orders", 1);
            eventually(Duration.ofSeconds(60), () -> assertThat(outbox.passed("orders", id))
                    .isTrue());
            assertThat(outbox.dead("orders")).isEmpty();
        }
    }

    /** Kafka refuses the whole batch. The others would use up their attempts, and hardly any would arrive while there are more such records. */
    @Test
    void a_record_that_is_refused_as_invalid_is_dead_and_the_others_in_its_batch_arrive() throws Exception {
        String topic = TestKafka.newTopic(1);
        TestKafka.set(topic, "message.timestamp.before.max.ms", "3600000");
        try (TestRelay relay = TestRelay.startAsShipped(
                outbox.pool(), routes -> routes.from("outbox:orders?pipelined=true&backoff=100ms&maxAttempts=5")
                        .choice()
                        .when(exchange -> exchange.getMessage().getHeader("outbox-id", Long.class) % 10 == 3)
                        .setHeader("CamelKafkaOverrideTimestamp", routes.constant(1))
                        .end()
                        .to("kafka:" + topic + "?lingerMs=20&brokers=" + TestKafka.brokers()))) {
            outbox.insertMany(300, 40);
            eventually(Duration.ofSeconds(60), () -> {
                assertThat(outbox.passed("orders", 300)).isTrue();
                assertThat(outbox.waiting("orders")).isEmpty();
            });
        }
        assertThat(outbox.dead("orders")).hasSize(30).allMatch(id -> id % 10 == 3);
        assertThat(TestKafka.records(topic).stream()
                        .map(record -> new String(
                                record.headers().lastHeader("outbox-id").value(), UTF_8))
                        .distinct())
                .hasSize(270);
    }

    @Test
    void a_partition_that_is_added_gets_its_messages() throws Exception {
        String topic = TestKafka.newTopic(2);
        try (TestRelay relay = TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:orders")
                        .setHeader("CamelKafkaPartitionKey", routes.simple("${header.aggregate-id}"))
                        .to("kafka:" + topic + "?brokers=" + TestKafka.brokers()));
                Admin admin = Admin.create(Map.of("bootstrap.servers", TestKafka.brokers()))) {
            outbox.awaitPassed("orders", outbox.insert("1"));
            admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(8)))
                    .all()
                    .get();
            outbox.awaitPassed("orders", outbox.insert("7"));
        }
        assertThat(outbox.waiting("orders")).isEmpty();
        assertThat(TestKafka.records(topic))
                .extracting(ConsumerRecord::partition)
                .containsExactlyInAnyOrder(1, 7);
    }

    private TestRelay start(String brokers) throws Exception {
        return TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:orders?pipelined=true")
                .to("kafka:events?brokers=" + brokers
                        + "&requestTimeoutMs=1000&deliveryTimeoutMs=2000&lingerMs=0&maxBlockMs=2000"));
    }

    @Test
    void brokers_that_accept_no_connection_are_named_at_the_start() throws Exception {
        KafkaClients clients = new KafkaClients(KafkaPolicyIT.class.getClassLoader());
        try (ServerSocket open = new ServerSocket(0);
                WrittenLog log = WrittenLog.of("dev.caravan.camel.kafka.ReachedBrokers")) {
            int closed = FreePorts.one();
            for (String brokers :
                    List.of("localhost:" + closed + ",127.0.0.1:" + open.getLocalPort(), "localhost:" + closed)) {
                clients.getProducer(settings(brokers)).close(Duration.ZERO);
                clients.getProducer(settings(brokers)).close(Duration.ZERO);
            }

            eventually(() -> assertThat(log.lines())
                    .containsExactly("No Kafka broker of localhost:" + closed
                            + " accepts a connection: ConnectException (Connection refused). Messages for it wait, and are delivered when"
                            + " it answers"));
        }
    }

    private static Properties settings(String brokers) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", brokers);
        settings.put("key.serializer", StringSerializer.class);
        settings.put("value.serializer", StringSerializer.class);
        return settings;
    }
}
