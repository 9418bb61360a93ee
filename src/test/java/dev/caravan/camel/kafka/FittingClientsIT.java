package dev.caravan.camel.kafka;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.TestKafka;
import dev.caravan.base.clock.Clock;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class FittingClientsIT {
    private static final int RECORDS = 200;

    private final String topic = TestKafka.newTopic(1, "10000");

    @Test
    void a_limit_that_cannot_be_read_is_found_by_smaller_batches() throws Exception {
        try (SharedProducer producer = producer(topics -> Map.of())) {
            var accepted = new AtomicInteger();
            Collection<Exception> failures = new ConcurrentLinkedQueue<>();
            send(producer, RECORDS, accepted, failures);
            eventually(() -> assertThat(accepted.get() + failures.size()).isEqualTo(RECORDS));
            assertThat(failures).isNotEmpty().allMatch(RetriableException.class::isInstance);

            int before = accepted.get();
            failures.clear();
            send(producer, RECORDS, accepted, failures);
            eventually(() -> assertThat(accepted.get()).isEqualTo(before + RECORDS));
            assertThat(failures).isEmpty();
        }
    }

    @Test
    void a_record_above_the_limit_fails_alone() throws Exception {
        try (SharedProducer producer = producer(topics -> Map.of(topic, 10_000))) {
            Future<RecordMetadata> small = producer.send(record(2_000));
            Future<RecordMetadata> large = producer.send(record(10_001));
            Future<RecordMetadata> last = producer.send(record(2_000));

            assertThatThrownBy(large::get).hasCauseInstanceOf(RecordTooLargeException.class);
            assertThat(last.get().offset()).isEqualTo(small.get().offset() + 1);
        }
    }

    @Test
    void a_producer_whose_batches_are_refused_is_closed_within_seconds() {
        SharedProducer producer = producer(topics -> Map.of());
        var accepted = new AtomicInteger();
        Collection<Exception> failures = new ConcurrentLinkedQueue<>();
        send(producer, RECORDS, accepted, failures);

        long start = System.nanoTime();
        producer.close();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
        assertThat(accepted.get() + failures.size()).isEqualTo(RECORDS);
        assertThatThrownBy(() -> producer.send(record(1))).isInstanceOf(IllegalStateException.class);
    }

    /** As after an unexpected error to the request for a producer id: Kafka's client never asks again. */
    @Test
    void a_client_that_one_answer_has_broken_is_replaced_and_no_record_fails_for_it() throws Exception {
        List<FirstAloneProducer> created = new CopyOnWriteArrayList<>();
        SharedProducer producer = producer(topics -> Map.of(), settings -> {
            created.add(new FirstAloneProducer(settings));
            return created.get(created.size() - 1);
        });
        producer.send(record(1)).get();
        Future<RecordMetadata> waiting = producer.send(record(1));
        breakState(created.get(0));

        producer.send(record(1)).get();
        assertThatThrownBy(waiting::get).hasCauseInstanceOf(RetriableException.class);
        assertThat(created).hasSize(2);

        breakState(created.get(1));
        producer.send(record(1)).get();
        producer.close();
    }

    private static void breakState(FirstAloneProducer producer) throws ReflectiveOperationException {
        Field field = KafkaProducer.class.getDeclaredField("transactionManager");
        field.setAccessible(true);
        Object state = field.get(producer);
        Method end = state.getClass().getDeclaredMethod("transitionToFatalError", RuntimeException.class);
        end.setAccessible(true);
        end.invoke(state, new KafkaException("Unexpected error in InitProducerIdResponse"));
    }

    private SharedProducer producer(FittingClients.Limits limits) {
        return producer(limits, FirstAloneProducer::new);
    }

    private SharedProducer producer(
            FittingClients.Limits limits, Function<Properties, Producer<Object, Object>> producers) {
        Properties settings = new Properties();
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, TestKafka.brokers());
        settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 50);
        FittingClients clients = new FittingClients(SharedProducer.ofClient(settings), producers, limits, Clock.SYSTEM);
        return new SharedProducer(settings, clients, clients::close);
    }

    private void send(SharedProducer producer, int count, AtomicInteger accepted, Collection<Exception> failures) {
        IntStream.range(0, count)
                .forEach(i -> producer.send(record(2_000), (metadata, error) -> {
                    if (error == null) {
                        accepted.incrementAndGet();
                    } else {
                        failures.add(error);
                    }
                }));
    }

    private ProducerRecord<Object, Object> record(int bytes) {
        return new ProducerRecord<>(topic, new byte[bytes]);
    }
}
