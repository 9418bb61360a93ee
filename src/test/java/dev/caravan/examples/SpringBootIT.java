package dev.caravan.examples;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestKafka;
import dev.caravan.lab.servers.FreePorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example {@code spring-boot}: instances of an application that delivers its own messages. */
@Tag("long")
class SpringBootIT {
    private static final String JAR = "examples/spring-boot/target/shop.jar";
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final long PAUSE_NANOS = 5_000_000;

    @TempDir
    private Path workspace;

    private final HttpClient http = HttpClient.newHttpClient();
    private final Map<String, Long> arrivals = new ConcurrentHashMap<>();
    /** Message ids, with the times of their requests. */
    private final Map<String, Long> placed = new ConcurrentHashMap<>();

    private final AtomicBoolean ended = new AtomicBoolean();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private int firstPort;
    private int secondPort;

    @BeforeEach
    void choosePorts() throws IOException {
        TestKafka.create("orders", 1);
        firstPort = FreePorts.one();
        secondPort = FreePorts.one();
    }

    private Example example() throws Exception {
        Example example = new Example("spring-boot", workspace);
        example.databaseOfApplication(
                "SPRING_DATASOURCE_URL", "SPRING_DATASOURCE_USERNAME", "SPRING_DATASOURCE_PASSWORD");
        example.givenToApplication("SERVER_PORT", Integer.toString(firstPort));
        example.replace("localhost:8080", "localhost:" + firstPort);
        return example;
    }

    @Test
    void an_order_is_placed_and_delivered_with_the_commands_of_the_page() throws Exception {
        try (var example = example()) {
            example.follow("## Run");
            example.application().awaitLog("Started Shop");

            String printed = example.follow("## Place an order");

            String messageId = example.jdbc().queryForObject("select message_id::text from outbox", String.class);
            assertThat(printed).contains(messageId, "\"status\":\"UP\"", "orders");
            eventually(() -> assertThat(Records.ids("orders")).contains(messageId));
            eventually(() -> assertThat(get("/actuator/prometheus"))
                    .containsPattern("caravan_delivered_messages_total\\{[^}]*subscription=\"orders\"[^}]*} 1\\.0"));
            eventually(() -> assertThat(get("/actuator/health")).contains("caravan"));

            assertThat(put(firstPort, "42").statusCode()).as("the order exists").isEqualTo(500);
            assertThat(example.number("select count(*) from outbox"))
                    .as("its message was rolled back")
                    .isOne();
        }
    }

    @Test
    void an_instance_that_is_killed_is_replaced_by_another_one_long_before_its_lease_ends_and_nothing_is_lost()
            throws Exception {
        try (var example = example()) {
            Application survivor = startTwo(example);
            Application owner = example.applications().stream()
                    .filter(each -> each != survivor)
                    .findFirst()
                    .orElseThrow();
            int port = owner == example.application() ? secondPort : firstPort;
            Future<?> receiver = threads.submit(this::receive);
            Future<?> writer = threads.submit(() -> write(port));
            eventually(() -> assertThat(arrivals.keySet().stream().filter(placed::containsKey))
                    .hasSizeGreaterThan(50));

            long killedAt = System.nanoTime();
            owner.kill();
            long endedAt = System.nanoTime();
            eventually(() -> assertThat(arrivals.keySet()).anyMatch(id -> isPlacedAfter(endedAt, id)));

            Duration takeover = Duration.ofNanos(arrivals.entrySet().stream()
                            .filter(arrival -> isPlacedAfter(endedAt, arrival.getKey()))
                            .mapToLong(Map.Entry::getValue)
                            .min()
                            .orElseThrow()
                    - killedAt);
            System.out.printf("Killed application: first delivery of the other one after %d ms%n", takeover.toMillis());
            // a busy machine needs longer than the second and a half of a quiet one, but less than the lease
            assertThat(takeover).isLessThan(LEASE.dividedBy(2));
            ended.set(true);
            writer.get();
            eventually(() -> assertThat(arrivals.keySet()).containsAll(placed.keySet()));
            assertThat(survivor.isOwner(owner(example))).isTrue();
            receiver.cancel(true);
        }
    }

    @Test
    void an_instance_that_is_stopped_hands_over_at_once_and_repeats_nothing() throws Exception {
        try (var example = example()) {
            Application survivor = startTwo(example);
            Application owner = example.applications().stream()
                    .filter(each -> each != survivor)
                    .findFirst()
                    .orElseThrow();
            int port = owner == example.application() ? secondPort : firstPort;
            Future<?> writer = threads.submit(() -> write(port));
            eventually(() -> assertThat(placed).hasSizeGreaterThan(50));

            Duration stopped = owner.terminate();

            System.out.printf("Stopped application: ended after %d ms%n", stopped.toMillis());
            eventually(() -> assertThat(survivor.isOwner(owner(example))).isTrue());
            ended.set(true);
            writer.get();
            eventually(() -> assertThat(Records.ids("orders")).containsAll(placed.keySet()));
            assertThat(Records.ids("orders").stream().filter(placed::containsKey))
                    .doesNotHaveDuplicates();
            assertThat(owner.log()).doesNotContain("ERROR");
        }
    }

    /** Not those of other tests, which are in the same topic. */
    private boolean isPlacedAfter(long time, String id) {
        Long at = placed.get(id);
        return at != null && at - time > 0;
    }

    /** Returns the one that does not own the lane. */
    private Application startTwo(Example example) throws Exception {
        example.follow("## Run");
        Application first = example.application();
        Application second = example.startApplication(JAR, Map.of("SERVER_PORT", Integer.toString(secondPort)));
        first.awaitLog("Started Shop");
        second.awaitLog("Started Shop");
        eventually(() -> assertThat(owner(example)).isNotNull());
        return first.isOwner(owner(example)) ? second : first;
    }

    private static String owner(Example example) {
        return example.jdbc()
                .queryForObject("select max(owner) from outbox_subscription where name = 'orders'", String.class);
    }

    /** Places orders until it is ended. */
    private Void write(int port) throws Exception {
        for (int order = 1; !ended.get(); order++) {
            long now = System.nanoTime();
            HttpResponse<String> answer = put(port, "order-" + order);
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            placed.put(answer.body().replace("\"", ""), now);
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return null;
    }

    private HttpResponse<String> put(int port, String order) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/orders/" + order))
                        .header("Content-Type", "application/json")
                        .PUT(HttpRequest.BodyPublishers.ofString("{\"total\": \"84.50\"}"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private String get(String path) throws IOException, InterruptedException {
        return http.send(
                        HttpRequest.newBuilder(URI.create("http://localhost:" + firstPort + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** Notes when the first record of each message arrives. */
    private Void receive() {
        try (var consumer = new KafkaConsumer<>(
                Map.<String, Object>of("bootstrap.servers", TestKafka.brokers()),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.assign(List.of(new TopicPartition("orders", 0)));
            consumer.seekToBeginning(consumer.assignment());
            while (!Thread.currentThread().isInterrupted()) {
                consumer.poll(Duration.ofMillis(20))
                        .forEach(record -> arrivals.putIfAbsent(id(record), System.nanoTime()));
            }
        }
        return null;
    }

    private static String id(ConsumerRecord<String, String> record) {
        return new String(record.headers().lastHeader("id").value(), StandardCharsets.UTF_8);
    }
}
