package dev.caravan.camel.kafka;

import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.LimitedProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Utils;

/**
 * A producer that sends its first record to a partition alone. Other records follow when the broker has accepted it.
 *
 * <p>Kafka's producer sends up to five batches to a partition at once, and a broker accepts any sequence number from a producer that is new
 * to the partition. If the broker refuses the first batch, because it does not lead a new partition yet, and accepts the second, then the
 * first is out of sequence: it is refused until {@code delivery.timeout.ms} has passed, and arrives after the second. After the broker has
 * accepted a record, it expects the next sequence number, and refuses later batches until it has accepted the earlier one.
 */
final class FirstAloneProducer extends LimitedProducer {
    private final boolean keysChoosePartitions;
    private final Serializer<Object> keySerializer;
    private final Map<String, OpenPartitions> topics = new ConcurrentHashMap<>();

    FirstAloneProducer(Properties settings) {
        super(settings);
        ProducerConfig config = new ProducerConfig(settings);
        keysChoosePartitions = config.getClass(ProducerConfig.PARTITIONER_CLASS_CONFIG) == null
                && !config.getBoolean(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG);
        keySerializer = keySerializer(config);
    }

    @SuppressWarnings("unchecked")
    private static Serializer<Object> keySerializer(ProducerConfig config) {
        Serializer<Object> serializer =
                config.getConfiguredInstance(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, Serializer.class);
        serializer.configure(config.originals(), true);
        return serializer;
    }

    /** For the first record to a partition, returns after the broker has responded; otherwise at once. */
    @Override
    public Future<RecordMetadata> send(ProducerRecord<Object, Object> record, Callback answer) {
        Callback callback = record.partition() == null || answer == null ? answer : ofPartition(record, answer);
        OpenPartitions partitions = topics.get(record.topic());
        if (partitions != null && partitions.allOpen() || isOnKafkasThread()) {
            return super.send(record, callback);
        }
        if (partitions == null) {
            int count = partitionsFor(record.topic()).size();
            partitions = topics.computeIfAbsent(record.topic(), any -> new OpenPartitions(count));
        }
        int partition = partition(record, partitions.count());
        return partitions.isOpen(partition)
                ? super.send(record, callback)
                : sendAlone(record, callback, partitions, partition);
    }

    /**
     * Kafka's client reports a partition that the topic does not have as a timeout, as if the cluster were unavailable: the message would wait
     * without an attempt for ever. It has asked for the partitions again before it does so.
     */
    private Callback ofPartition(ProducerRecord<Object, Object> record, Callback answer) {
        return (metadata, error) -> answer.onCompletion(metadata, isAbsent(record, error) ? absent(record) : error);
    }

    private boolean isAbsent(ProducerRecord<Object, Object> record, Exception error) {
        return error instanceof TimeoutException
                && !isOnKafkasThread() // the client has taken the record
                && record.partition() >= partitionsFor(record.topic()).size();
    }

    private static Exception absent(ProducerRecord<Object, Object> record) {
        return new IllegalArgumentException(
                "The topic " + record.topic() + " does not have the partition " + record.partition());
    }

    private Future<RecordMetadata> sendAlone(
            ProducerRecord<Object, Object> record, Callback callback, OpenPartitions partitions, int partition) {
        synchronized (partitions.lock(partition)) {
            Future<RecordMetadata> sent = super.send(record, callback);
            if (!partitions.isOpen(partition) && isAccepted(sent)) {
                partitions.open(partition);
            }
            return sent;
        }
    }

    private static boolean isAccepted(Future<RecordMetadata> sent) {
        try {
            sent.get();
            return true;
        } catch (ExecutionException e) {
            return false; // the callback receives the reason
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** The partition that Kafka's client will choose; -1 if that cannot be predicted. */
    private int partition(ProducerRecord<Object, Object> record, int count) {
        if (record.partition() != null) {
            return record.partition();
        }
        if (record.key() == null || !keysChoosePartitions) {
            return -1;
        }
        byte[] key = keySerializer.serialize(record.topic(), record.headers(), record.key());
        return Utils.toPositive(Utils.murmur2(key)) % count;
    }

    /** Whether this is the client's network thread, which must not wait because it delivers the response. */
    static boolean isOnKafkasThread() {
        return Thread.currentThread().getName().startsWith("kafka-producer-network-thread");
    }

    /** The open partitions of a topic: those that have accepted a record of this producer. A partition added later counts as open. */
    private static final class OpenPartitions {
        private final AtomicIntegerArray open;
        private final AtomicInteger closed;
        private final List<Object> locks;

        OpenPartitions(int count) {
            open = new AtomicIntegerArray(count);
            closed = new AtomicInteger(count);
            locks = Stream.generate(Object::new).limit(count).toList();
        }

        int count() {
            return locks.size();
        }

        boolean allOpen() {
            return closed.get() == 0;
        }

        boolean isOpen(int partition) {
            return partition < 0 || partition >= count() || open.get(partition) == 1;
        }

        void open(int partition) {
            if (open.compareAndSet(partition, 0, 1)) {
                closed.decrementAndGet();
            }
        }

        /** The lock that a thread holds while it sends to a partition that is not open. */
        Object lock(int partition) {
            return locks.get(partition);
        }
    }
}
