package dev.caravan.camel.kafka;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.TestKafka;
import dev.caravan.lab.servers.FreePorts;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.management.ObjectName;
import org.apache.camel.CamelContext;
import org.apache.camel.ProducerTemplate;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Routes with equal settings, on a real broker. */
@Timeout(120)
class SharedProducerIT {
    private static final int ROUTES = 50;
    private static final String KIB = "x".repeat(1_024);

    private final KafkaClients clients = new KafkaClients(SharedProducerIT.class.getClassLoader());
    private final Set<Thread> before = senders();

    @Test
    void fifty_routes_use_one_client_until_the_last_one_stops() throws Exception {
        List<String> topics =
                IntStream.range(0, 5).mapToObj(i -> TestKafka.newTopic(1)).toList();
        int connections = connections();
        try (CamelContext context = context(IntStream.range(0, ROUTES)
                        .mapToObj(i -> topics.get(i % topics.size()))
                        .toList());
                ProducerTemplate template = context.createProducerTemplate()) {
            for (int i = 0; i < ROUTES; i++) {
                template.sendBody("direct:" + i, "from " + i);
            }

            assertThat(started()).hasSize(1);
            assertThat(connections() - connections)
                    .isLessThanOrEqualTo(4); // two of the client, and two that read limits
            assertThat(topics.stream()
                            .flatMap(topic -> TestKafka.records(topic).stream())
                            .map(each -> each.value()))
                    .hasSize(ROUTES)
                    .doesNotHaveDuplicates();

            for (int i = 1; i < ROUTES; i++) {
                context.getRouteController().stopRoute("route-" + i);
            }
            template.sendBody("direct:0", "still");
            context.getRouteController().startRoute("route-1");
            template.sendBody("direct:1", "again");
            assertThat(started()).hasSize(1);
        }
        eventually(() -> assertThat(started()).isEmpty());
    }

    @Test
    void other_settings_have_clients_of_their_own() throws Exception {
        String topic = TestKafka.newTopic(1);
        String own = topic + "?clientId=own";
        try (CamelContext context = context(List.of(topic, topic, own, own, topic + "?lingerMs=5"));
                ProducerTemplate template = context.createProducerTemplate()) {
            for (int i = 0; i < 5; i++) {
                template.sendBody("direct:" + i, "from " + i);
            }

            assertThat(started()).hasSize(3);
        }
        eventually(() -> assertThat(started()).isEmpty());
    }

    /** Another relay that starts would fail all messages of this one, and messages that are sent at the same time each other. */
    @ParameterizedTest
    @ValueSource(strings = {"transacted=true", "transactionalId=shop", "additionalProperties.transactional.id=shop"})
    void transactions_are_refused_at_the_start(String option) {
        String topic = TestKafka.newName() + "?" + option;

        assertThatThrownBy(() -> context(List.of(topic)))
                .hasRootCauseInstanceOf(IllegalArgumentException.class)
                .hasStackTraceContaining("transacted and transactionalId are not for messages of an outbox");
    }

    @Test
    void a_stopped_route_does_not_wait_for_a_cluster_that_does_not_answer() throws Exception {
        Map<String, Object> away = Map.of("bootstrap.servers", "localhost:" + FreePorts.one());
        try (Producer<Object, Object> other = producer(away);
                Producer<Object, Object> stopped = producer(away)) {
            var waiting = CompletableFuture.supplyAsync(() -> stopped.send(record("any")));

            stopped.close();

            assertThat(waiting).failsWithin(Duration.ofSeconds(30)); // max.block.ms is 60 s
            other.close();
        }
    }

    @Test
    void brokers_that_do_not_answer_are_named() throws Exception {
        String brokers = "localhost:" + FreePorts.one();
        try (Producer<Object, Object> producer =
                producer(Map.of("bootstrap.servers", brokers, "max.block.ms", "1000"))) {
            assertThatThrownBy(() -> producer.partitionsFor("any"))
                    .hasMessage("Topic any not present in metadata after 1000 ms: no broker of " + brokers
                            + " has answered")
                    .hasNoCause();
        }
    }

    /** More answers than the queue of Camel's own pool takes. */
    @Test
    void a_slow_step_after_kafka_does_not_hold_back_the_answers_of_another_route() throws Exception {
        String slow = TestKafka.newTopic(1);
        String good = TestKafka.newTopic(1);
        CountDownLatch end = new CountDownLatch(1);
        try (CamelContext context = new DefaultCamelContext();
                ProducerTemplate template = context.createProducerTemplate()) {
            start(context, new RouteBuilder() {
                @Override
                public void configure() {
                    from("direct:slow")
                            .to(new DeliveryEndpoint(context, uri(slow + "?workerPoolCoreSize=1&workerPoolMaxSize=1")))
                            .process(exchange -> end.await());
                    from("direct:good").to(new DeliveryEndpoint(context, uri(good)));
                }
            });
            List<CompletableFuture<?>> held = new ArrayList<>();
            for (int i = 0; i < 1_500; i++) {
                held.add(template.asyncSend(
                        "direct:slow", exchange -> exchange.getMessage().setBody("x")));
            }
            eventually(() -> assertThat(TestKafka.records(slow)).hasSize(1_500));

            assertThat(template.asyncSendBody("direct:good", "x")).succeedsWithin(Duration.ofSeconds(30));
            end.countDown();
            CompletableFuture.allOf(held.toArray(CompletableFuture[]::new)).get();
        } finally {
            end.countDown();
        }
    }

    private CamelContext context(List<String> topics) throws Exception {
        CamelContext context = new DefaultCamelContext();
        start(context, new RouteBuilder() {
            @Override
            public void configure() {
                for (int i = 0; i < topics.size(); i++) {
                    from("direct:" + i).routeId("route-" + i).to(new DeliveryEndpoint(context, uri(topics.get(i))));
                }
            }
        });
        return context;
    }

    private void start(CamelContext context, RouteBuilder routes) throws Exception {
        context.getCamelContextExtension().registerEndpointCallback(new KafkaRecords());
        context.addRoutes(routes);
        context.start();
    }

    private static String uri(String topic) {
        return "kafka:" + topic + (topic.contains("?") ? "&" : "?") + "brokers=" + TestKafka.brokers();
    }

    private Producer<Object, Object> producer(Map<String, Object> more) {
        Properties settings = new Properties();
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, TestKafka.brokers());
        settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
        settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
        settings.putAll(more);
        return clients.getProducer(settings);
    }

    private static ProducerRecord<Object, Object> record(String topic) {
        return new ProducerRecord<>(topic, KIB);
    }

    private static Set<Thread> senders() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("kafka-producer-network-thread"))
                .collect(Collectors.toSet());
    }

    private Set<Thread> started() {
        return senders().stream().filter(thread -> !before.contains(thread)).collect(Collectors.toSet());
    }

    /** The connections that the broker has. */
    private static int connections() throws Exception {
        var server = ManagementFactory.getPlatformMBeanServer();
        double count = 0;
        for (ObjectName name : server.queryNames(
                new ObjectName("kafka.server:type=socket-server-metrics,listener=PLAINTEXT,networkProcessor=*"),
                null)) {
            count += (double) server.getAttribute(name, "connection-count");
        }
        return (int) count;
    }
}
