package dev.caravan.camel.kafka;

import dev.caravan.base.clock.Timers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.DisconnectException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A producer whose batches fit its topics.
 *
 * <p>Kafka's producer splits a batch that is larger than the topic accepts into batches of its own batch size. If that size is above the
 * topic's limit, the parts are as large as the whole (KAFKA-8350): it sends them again without a pause until {@code delivery.timeout.ms}
 * has passed, and no record behind them is sent. The batch size of a client cannot be changed. So this producer reads the limit of each
 * topic before its first record, and again when batches are refused, and replaces its client by one with smaller batches.
 *
 * <p>Records wait while the client is replaced, so that none overtakes an earlier one. Those that the old client has not sent by then
 * fail as if the connection had been lost.
 */
final class FittingProducer implements Producer<Object, Object> {
    private static final Logger LOG = LoggerFactory.getLogger(FittingProducer.class);
    /** The pause between two looks at the number of refused batches; each look finds hundreds of them if no batch fits. */
    private static final long LOOK_MILLIS = 250;
    /** After so many looks that found refused batches, the limits read from the cluster are not the ones that apply. */
    private static final int LOOKS_UNTIL_HALVED = 4;
    /** Enough for records that are not refused, if the cluster answers. */
    private static final Duration UNTIL_SENT = Duration.ofSeconds(10);
    /** Records that are refused are never sent, however long the client has. */
    private static final Duration UNTIL_REFUSED = Duration.ofMillis(250);

    private static final ScheduledThreadPoolExecutor LOOKS = looks();

    private final Properties settings;
    private final Function<Properties, Producer<Object, Object>> clients;
    private final Limits limits;
    private final Set<String> topics = ConcurrentHashMap.newKeySet();
    /** Held while the client is replaced. */
    private final Object replacement = new Object();

    private volatile Client client;
    private volatile boolean isClosing;
    private ScheduledFuture<?> look;
    private int looksWithRefusals;

    /** Reads from the cluster. */
    @FunctionalInterface
    interface Limits {
        int UNKNOWN = Integer.MAX_VALUE;

        /** The smallest limit of these topics in bytes, or {@link #UNKNOWN}. */
        int smallest(Set<String> topics) throws InterruptedException;
    }

    FittingProducer(Properties settings, Function<Properties, Producer<Object, Object>> clients, Limits limits) {
        this.settings = settings;
        this.clients = clients;
        this.limits = limits;
        client = new Client(settings);
    }

    private static ScheduledThreadPoolExecutor looks() {
        var looks = Timers.daemons("caravan-kafka-limits", 1);
        looks.setRemoveOnCancelPolicy(true);
        looks.setKeepAliveTime(10, TimeUnit.SECONDS);
        looks.allowCoreThreadTimeOut(true);
        return looks;
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<Object, Object> record) {
        return send(record, null);
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<Object, Object> record, Callback callback) {
        if (!topics.contains(record.topic()) && !FirstAloneProducer.isOnKafkasThread()) {
            fit(record.topic());
        }
        Client used = client();
        try {
            return used.send(record, callback);
        } catch (IllegalStateException | KafkaException e) {
            if (used == client) {
                throw e;
            }
            return send(record, callback); // the client was replaced before it took the record
        }
    }

    /** The client, after a replacement that goes on. Kafka's thread must not wait, because the replacement waits for it. */
    private Client client() {
        if (FirstAloneProducer.isOnKafkasThread()) {
            return client;
        }
        synchronized (replacement) {
            return client;
        }
    }

    private void fit(String topic) {
        client().producer
                .partitionsFor(topic); // the first record waits for the cluster here, with the timeout of the producer
        synchronized (replacement) {
            if (topics.add(topic)) {
                fit(Set.of(topic), UNTIL_SENT);
                look = look == null
                        ? LOOKS.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS)
                        : look;
            }
        }
    }

    private boolean fit(Set<String> some, Duration patience) {
        try {
            int limit = limits.smallest(some);
            return limit < client.batchSize && replace(limit, "a topic accepts no larger ones", patience);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void look() {
        try {
            looksWithRefusals = client.hasRefusals() ? looksWithRefusals + 1 : 0;
            if (looksWithRefusals == 0 || fit(topics, UNTIL_REFUSED)) {
                return;
            }
            if (looksWithRefusals >= LOOKS_UNTIL_HALVED && client.batchSize > 1) {
                replace(client.batchSize / 2, "larger ones are refused", UNTIL_REFUSED);
                looksWithRefusals = 0;
            }
        } catch (RuntimeException e) {
            LOG.warn("Could not adapt the batch size for {}: {}. It is tried again", topics, e.toString());
        }
    }

    private boolean replace(int batchSize, String reason, Duration patience) {
        synchronized (replacement) {
            if (isClosing) {
                client.close(patience); // it would try to send refused batches for minutes
                return true;
            }
            Properties smaller = new Properties();
            smaller.putAll(settings);
            smaller.put(ProducerConfig.BATCH_SIZE_CONFIG, batchSize);
            Client next = new Client(smaller);
            LOG.info(
                    "Batches of records to the topics {} are limited to {} bytes instead of {}: {}",
                    topics,
                    batchSize,
                    client.batchSize,
                    reason);
            client.close(patience);
            client = next;
            return true;
        }
    }

    /** One client of Kafka, and how many of its batches were refused. */
    private final class Client {
        private final Producer<Object, Object> producer;
        private final int batchSize;
        private final Metric refusals;
        private double seen;
        private volatile boolean isReplaced;

        private Client(Properties settings) {
            batchSize = new ProducerConfig(settings).getInt(ProducerConfig.BATCH_SIZE_CONFIG);
            producer = clients.apply(settings);
            refusals = producer.metrics().entrySet().stream()
                    .filter(metric -> metric.getKey().name().equals("batch-split-total"))
                    .findAny()
                    .<Metric>map(Map.Entry::getValue)
                    .orElseThrow();
        }

        /** Whether batches were refused since the last call. */
        private boolean hasRefusals() {
            double before = seen;
            seen = (double) refusals.metricValue();
            return seen > before;
        }

        private Future<RecordMetadata> send(ProducerRecord<Object, Object> record, Callback callback) {
            var result = new CompletableFuture<RecordMetadata>();
            producer.send(record, (metadata, error) -> {
                Exception reason = isReplaced && isAborted(error) ? replaced() : error;
                if (callback != null) {
                    callback.onCompletion(metadata, reason);
                }
                if (reason == null) {
                    result.complete(metadata);
                } else {
                    result.completeExceptionally(reason);
                }
            });
            return result;
        }

        /** Whether the client did not send the record because it was closed. All reasons of the cluster have a class of their own. */
        private static boolean isAborted(Exception error) {
            return error != null && error.getClass() == KafkaException.class;
        }

        private static Exception replaced() {
            return new DisconnectException("The client was replaced, because a topic accepts only smaller batches.");
        }

        private void close(Duration patience) {
            isReplaced = true;
            producer.close(patience);
        }
    }

    @Override
    public void close() {
        close(Duration.ofMillis(Long.MAX_VALUE));
    }

    @Override
    public void close(Duration timeout) {
        isClosing = true;
        client().producer.close(timeout);
        synchronized (replacement) {
            if (look != null) {
                look.cancel(false);
            }
        }
    }

    @Override
    public void initTransactions() {
        client().producer.initTransactions();
    }

    @Override
    public void beginTransaction() {
        client().producer.beginTransaction();
    }

    @Override
    @Deprecated
    public void sendOffsetsToTransaction(Map<TopicPartition, OffsetAndMetadata> offsets, String group) {
        client().producer.sendOffsetsToTransaction(offsets, group);
    }

    @Override
    public void sendOffsetsToTransaction(Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata group) {
        client().producer.sendOffsetsToTransaction(offsets, group);
    }

    @Override
    public void commitTransaction() {
        client().producer.commitTransaction();
    }

    @Override
    public void abortTransaction() {
        client().producer.abortTransaction();
    }

    @Override
    public void flush() {
        client().producer.flush();
    }

    @Override
    public List<PartitionInfo> partitionsFor(String topic) {
        return client().producer.partitionsFor(topic);
    }

    @Override
    public Map<MetricName, ? extends Metric> metrics() {
        return client.producer.metrics();
    }

    @Override
    public Uuid clientInstanceId(Duration timeout) {
        return client().producer.clientInstanceId(timeout);
    }
}
