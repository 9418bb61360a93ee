package dev.caravan.camel.kafka;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FittingClientsTest {
    private final Map<String, Integer> limits = new HashMap<>();
    private final AtomicInteger reads = new AtomicInteger();
    private final List<Client> created = new CopyOnWriteArrayList<>();
    private volatile long now;
    private boolean isNetworkDown;
    private final FittingClients clients = new FittingClients(settings(), this::create, this::limits, () -> now);

    @AfterEach
    void close() {
        clients.close(Duration.ZERO);
    }

    @Test
    void only_a_topic_that_accepts_less_has_a_client_with_smaller_batches() {
        limits.put("small", 1_000);
        limits.put("large", 2_000_000);

        List.of("small", "large", "unread", "small").forEach(this::send);

        assertThat(created).extracting(client -> client.batchSize).containsExactly(16_384, 1_000);
        assertThat(topics(0)).containsExactly("large", "unread");
        assertThat(topics(1)).containsExactly("small", "small");
        assertThat(reads).hasValue(3);
    }

    @Test
    void a_client_that_refuses_everything_is_replaced() throws Exception {
        created.get(0).error = new ClusterAuthorizationException("not authorized");
        send("orders");

        eventually(() -> assertThat(created.get(0).closed()).isTrue());
        send("orders");

        assertThat(created).hasSize(2);
        assertThat(topics(1)).containsExactly("orders");
    }

    /** As after a broker has made the client pause for days, or after an answer that cannot be read. */
    @Test
    void a_client_that_gets_no_answer_for_long_is_replaced() throws Exception {
        created.get(0).error = new TimeoutException("expired");
        now = FittingClients.LONGEST_SILENCE.toNanos();
        send("orders");
        assertThat(created.get(0).closed()).isFalse();

        now++;
        send("orders");
        eventually(() -> assertThat(created.get(0).closed()).isTrue());
        send("orders");

        assertThat(topics(1)).containsExactly("orders");
    }

    @Test
    void a_client_that_gets_answers_stays_though_some_records_time_out() throws Exception {
        send("orders");
        now = FittingClients.LONGEST_SILENCE.toNanos() + 1;
        send("orders");
        created.get(0).error = new TimeoutException("expired");
        send("orders");
        FittingClients.TIMER.submit(() -> {}).get(); // after what the failure may have caused

        assertThat(created.get(0).closed()).isFalse();
    }

    /** A host that is not known at this moment, for example. */
    @Test
    void a_client_that_cannot_be_replaced_is_an_unavailable_destination() throws Exception {
        created.get(0).error = new ClusterAuthorizationException("not authorized");
        send("orders");
        eventually(() -> assertThat(created.get(0).closed()).isTrue());

        isNetworkDown = true;
        assertThatThrownBy(() -> send("orders")).isInstanceOf(RetriableException.class);
        isNetworkDown = false;
        send("orders");

        assertThat(topics(1)).containsExactly("orders");
    }

    @Test
    void a_topic_whose_limit_cannot_be_read_is_sent_to() {
        isNetworkDown = true;
        send("orders");

        assertThat(topics(0)).containsExactly("orders");
    }

    @Test
    void a_topic_whose_batches_are_refused_gets_a_smaller_client_and_the_others_a_new_one_of_the_same_size()
            throws Exception {
        List.of("lowered", "other").forEach(this::send);
        limits.put("lowered", 1_000);
        created.get(0).refused = 7;

        eventually(() -> assertThat(created.get(0).closed()).isTrue());
        List.of("lowered", "other").forEach(this::send);

        assertThat(created).extracting(client -> client.batchSize).containsExactly(16_384, 16_384, 1_000);
        assertThat(topics(1)).containsExactly("other");
        assertThat(topics(2)).containsExactly("lowered");
    }

    @Test
    void records_to_a_topic_with_invalid_ones_are_sent_alone_for_some_time() throws Exception {
        KafkaException ofAnother = new KafkaException(
                "Failed to append record because it was part of a batch which had one more more invalid records");
        created.get(0).error = ofAnother;
        send("orders");
        eventually(() -> assertThat(created.get(0).closed()).isTrue());
        List.of("orders", "other").forEach(this::send);
        assertThat(created).extracting(client -> client.batchSize).containsExactly(16_384, 16_384, 1);
        assertThat(topics(2)).containsExactly("orders");

        now = FittingClients.ALONE.toNanos();
        created.get(2).error = new InvalidRecordException("no key");
        send("orders");
        now += FittingClients.ALONE.toNanos();
        FittingClients.TIMER.submit(() -> {}).get();
        assertThat(created.get(2).closed()).isFalse();
        now++;
        eventually(() -> assertThat(created.get(2).closed()).isTrue());
        send("orders");

        assertThat(topics(1)).containsExactly("other", "orders");
    }

    /** Some brokers refuse the whole batch without the number of the record that is invalid: the others must not be dead. */
    @Test
    void a_refusal_of_a_batch_is_that_of_a_record_only_if_it_was_sent_alone() throws Exception {
        List<Exception> errors = new CopyOnWriteArrayList<>();
        created.get(0).error = new InvalidRecordException("no schema");
        send("orders", errors::add);
        eventually(() -> assertThat(created.get(0).closed()).isTrue());
        send("orders", errors::add);
        created.get(2).error = new InvalidRecordException("no schema");
        send("orders", errors::add);

        assertThat(topics(2)).containsExactly("orders");
        assertThat(errors.get(0))
                .isExactlyInstanceOf(KafkaException.class)
                .hasMessageContaining("no schema")
                .hasNoCause();
        assertThat(errors.get(1)).isInstanceOf(InvalidRecordException.class);
    }

    @Test
    void nothing_is_created_after_the_last_route_has_closed_the_clients() {
        clients.close(Duration.ZERO);

        assertThatThrownBy(() -> send("orders")).isInstanceOf(IllegalStateException.class);
        assertThat(created).hasSize(1);
    }

    private void send(String topic) {
        send(topic, error -> {});
    }

    private void send(String topic, Consumer<Exception> failed) {
        clients.partitionsFor(topic);
        clients.send(new ProducerRecord<>(topic, "x"), (metadata, error) -> {
            if (error != null) {
                failed.accept(error);
            }
        });
    }

    private List<String> topics(int client) {
        return created.get(client).history().stream().map(ProducerRecord::topic).toList();
    }

    private Map<String, Integer> limits(Set<String> topics) {
        reads.incrementAndGet();
        requireNetwork();
        Map<String, Integer> known = new HashMap<>(limits);
        known.keySet().retainAll(topics);
        return known;
    }

    private void requireNetwork() {
        if (isNetworkDown) {
            throw new KafkaException("No resolvable bootstrap urls given in bootstrap.servers");
        }
    }

    private Producer<Object, Object> create(Properties settings) {
        requireNetwork();
        Client client = new Client((int) settings.get(ProducerConfig.BATCH_SIZE_CONFIG));
        created.add(client);
        return client;
    }

    private static Properties settings() {
        Properties settings = new Properties();
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "localhost:1");
        settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
        settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
        return settings;
    }

    /** A client that accepts all records, or answers each with an error. */
    private static final class Client extends MockProducer<Object, Object> {
        private static final Serializer<Object> TEXT =
                (topic, value) -> value == null ? null : value.toString().getBytes(StandardCharsets.UTF_8);

        private final int batchSize;
        private volatile double refused;
        private volatile RuntimeException error;

        Client(int batchSize) {
            super(true, TEXT, TEXT);
            this.batchSize = batchSize;
            var name = new MetricName("batch-split-total", "producer-metrics", "", Map.of());
            setMockMetrics(name, new Metric() {
                @Override
                public MetricName metricName() {
                    return name;
                }

                @Override
                public Object metricValue() {
                    return refused;
                }
            });
        }

        @Override
        public synchronized Future<RecordMetadata> send(ProducerRecord<Object, Object> record, Callback callback) {
            if (error == null) {
                return super.send(record, callback);
            }
            callback.onCompletion(null, error);
            return CompletableFuture.failedFuture(error);
        }
    }
}
