package dev.caravan.camel.kafka;

import dev.caravan.base.clock.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.header.Header;

/**
 * The producer of one route, which sends with clients that other routes use too.
 *
 * <p>The limits {@code buffer.memory} and {@code max.block.ms} apply to each route, as if it had a client of its own. The clients have neither
 * limit: otherwise records to one topic without a leader would fill the buffer, and no other route could send.
 */
final class SharedProducer implements Producer<Object, Object> {
    /** The time after which a thread that waits for a topic notices that its route is stopped. */
    private static final int PIECE_MILLIS = 1_000;
    /** The beginning of the error for a topic that the brokers do not have, and have not created. Its name follows. */
    static final String ABSENT = "The brokers have no topic ";
    /** For brokers that create a topic when a client asks for it. A record with a topic of its own should not make others wait for longer. */
    private static final int UNTIL_CREATED_MILLIS = 3_000;
    /** For which a topic that the brokers do not have is not asked for again: many such records would make others wait again and again. */
    private static final int KNOWN_TO_BE_ABSENT_MILLIS = 10_000;

    private static final int MOST_ABSENT = 1_000;
    /** What a record takes in addition to key, value and headers, at most. */
    private static final int OVERHEAD = 100;

    private final FittingClients clients;
    private final Consumer<Duration> release;
    private final String brokers;
    private final long bufferMemory;
    private final long maxBlockMillis;
    /** Topics that the brokers did not have, and when they were asked. */
    private final Map<String, Long> absent = new ConcurrentHashMap<>();
    /** Guarded by this object, like the next ones. */
    private long bytes;

    private int records;
    private boolean isClosed;

    /** @param release called once, when the route needs the clients no longer, with the time that is left to close them */
    SharedProducer(Properties settings, FittingClients clients, Consumer<Duration> release) {
        ProducerConfig config = new ProducerConfig(settings);
        this.clients = clients;
        this.release = release;
        brokers = String.join(",", config.getList(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG));
        bufferMemory = config.getLong(ProducerConfig.BUFFER_MEMORY_CONFIG);
        maxBlockMillis = config.getLong(ProducerConfig.MAX_BLOCK_MS_CONFIG);
    }

    /** The settings of a client that several routes use. */
    static Properties ofClient(Properties ofRoute) {
        Properties settings = new Properties();
        settings.putAll(ofRoute);
        settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, Long.MAX_VALUE);
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, PIECE_MILLIS);
        return settings;
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<Object, Object> record) {
        return send(record, null);
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<Object, Object> record, Callback callback) {
        if (!FirstAloneProducer.isOnKafkasThread()) {
            partitionsFor(record.topic());
        }
        InFlight inFlight = new InFlight(size(record), callback);
        if (!added(inFlight)) {
            return exhausted(record.topic(), callback);
        }
        try {
            return clients.send(record, inFlight);
        } catch (RuntimeException e) {
            inFlight.remove();
            throw e;
        }
    }

    /** Waits for the cluster in pieces, so that a stopped route does not wait. @throws UnknownTopicOrPartitionException with {@link #ABSENT} */
    @Override
    public List<PartitionInfo> partitionsFor(String topic) {
        Long asked = absent.isEmpty() ? null : absent.get(topic);
        if (asked != null && left(asked, KNOWN_TO_BE_ABSENT_MILLIS) > 0) {
            throw new UnknownTopicOrPartitionException(ABSENT + topic);
        }
        long start = Clock.SYSTEM.nanos();
        while (true) {
            try {
                return clients.partitionsFor(topic);
            } catch (TimeoutException e) {
                requireOpen();
                clients.requireLogin(start);
                if (e.getCause() instanceof UnknownTopicOrPartitionException
                        && left(start, Math.min(UNTIL_CREATED_MILLIS, maxBlockMillis)) <= 0) {
                    noteAbsent(topic);
                    throw new UnknownTopicOrPartitionException(ABSENT + topic);
                }
                if (left(start, maxBlockMillis) <= 0) {
                    throw new TimeoutException("Topic " + topic + " not present in metadata after " + maxBlockMillis
                            + " ms: "
                            + (e.getCause() == null
                                    ? "no broker of " + brokers + " has answered"
                                    : e.getCause().getMessage()));
                }
            }
        }
    }

    private void noteAbsent(String topic) {
        if (absent.size() >= MOST_ABSENT) {
            absent.clear();
        }
        absent.put(topic, Clock.SYSTEM.nanos());
    }

    private synchronized void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException("Cannot perform operation after producer has been closed");
        }
    }

    private static long left(long start, long millis) {
        return millis - TimeUnit.NANOSECONDS.toMillis(Clock.SYSTEM.nanos() - start);
    }

    /** The approximate size. Objects of a serializer other than those for bytes and text do not count. */
    private static int size(ProducerRecord<Object, Object> record) {
        int size = OVERHEAD + length(record.key()) + length(record.value());
        for (Header header : record.headers()) {
            size += header.key().length() + length(header.value());
        }
        return size;
    }

    private static int length(Object part) {
        if (part instanceof byte[] bytes) {
            return bytes.length;
        }
        return part instanceof CharSequence text ? text.length() : 0;
    }

    /** Waits until the record fits into the buffer. A record that is larger waits until the buffer is empty. */
    private synchronized boolean added(InFlight record) {
        long start = Clock.SYSTEM.nanos();
        requireOpen();
        while (records > 0 && bytes + record.size > bufferMemory && !FirstAloneProducer.isOnKafkasThread()) {
            if (!awaited(left(start, maxBlockMillis))) {
                return false;
            }
            requireOpen();
        }
        records++;
        bytes += record.size;
        return true;
    }

    /** Waits for a change. Returns whether there was time to wait. */
    private boolean awaited(long millis) {
        if (millis <= 0) {
            return false;
        }
        try {
            wait(millis);
            return true;
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    private Future<RecordMetadata> exhausted(String topic, Callback callback) {
        var error = new BufferExhaustedException("The records in flight of this route take " + bufferMemory
                + " bytes (bufferMemorySize) for longer than " + maxBlockMillis + " ms.");
        if (callback != null) {
            callback.onCompletion(new RecordMetadata(new TopicPartition(topic, -1), -1, -1, -1, -1, -1), error);
        }
        return CompletableFuture.failedFuture(error);
    }

    /** A record of this route that is not answered. */
    private final class InFlight implements Callback {
        private final int size;
        private final Callback callback;
        private boolean isRemoved;

        private InFlight(int size, Callback callback) {
            this.size = size;
            this.callback = callback;
        }

        /** The record counts until the route has its answer, because the route's threads end after {@link #close}. */
        @Override
        public void onCompletion(RecordMetadata metadata, Exception error) {
            try {
                if (callback != null) {
                    callback.onCompletion(metadata, error);
                }
            } finally {
                remove();
            }
        }

        private void remove() {
            synchronized (SharedProducer.this) {
                if (!isRemoved) {
                    isRemoved = true;
                    records--;
                    bytes -= size;
                    SharedProducer.this.notifyAll();
                }
            }
        }
    }

    /** Waits for the answers to the records of this route, not to those of others. */
    @Override
    public synchronized void flush() {
        while (records > 0) {
            awaited(Long.MAX_VALUE);
        }
    }

    @Override
    public void close() {
        close(Duration.ofMillis(Long.MAX_VALUE));
    }

    /** Waits for the answers to the records of this route. The clients are closed with the last route that uses them. */
    @Override
    public void close(Duration timeout) {
        long start = Clock.SYSTEM.nanos();
        synchronized (this) {
            if (isClosed) {
                return;
            }
            isClosed = true;
            notifyAll();
        }
        try {
            awaitAnswers(start, FirstAloneProducer.isOnKafkasThread() ? 0 : timeout.toMillis());
        } finally {
            release.accept(Duration.ofMillis(Math.max(0, left(start, timeout.toMillis()))));
        }
    }

    private synchronized void awaitAnswers(long start, long millis) {
        while (records > 0 && awaited(left(start, millis))) {
            // until the last answer
        }
    }

    @Override
    public Map<MetricName, ? extends Metric> metrics() {
        return clients.producer().metrics();
    }

    @Override
    public Uuid clientInstanceId(Duration timeout) {
        return clients.producer().clientInstanceId(timeout);
    }

    @Override
    public void initTransactions() {
        throw withoutTransactions();
    }

    @Override
    public void beginTransaction() {
        throw withoutTransactions();
    }

    @Override
    @Deprecated
    public void sendOffsetsToTransaction(Map<TopicPartition, OffsetAndMetadata> offsets, String group) {
        throw withoutTransactions();
    }

    @Override
    public void sendOffsetsToTransaction(Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata group) {
        throw withoutTransactions();
    }

    @Override
    public void commitTransaction() {
        throw withoutTransactions();
    }

    @Override
    public void abortTransaction() {
        throw withoutTransactions();
    }

    private static IllegalStateException withoutTransactions() {
        return new IllegalStateException("A producer without transactional.id has no transactions");
    }
}
