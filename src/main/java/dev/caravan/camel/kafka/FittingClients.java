package dev.caravan.camel.kafka;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.clock.Timers;
import dev.caravan.base.text.Causes;
import dev.caravan.base.text.Formatted;
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
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.LimitedProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kafka's clients for all routes with equal settings. Usually this is one: only topics that accept less than the batch size have another.
 *
 * <p>Kafka's client splits a batch that is larger than the topic accepts into batches of its own batch size. If that size is above the
 * topic's limit, the parts are as large as the whole (KAFKA-8350): it sends them again without a pause until {@code delivery.timeout.ms}
 * has passed, and no record behind them is sent. The batch size of a client cannot be changed. So the limit of each topic is read before
 * its first record, and a topic with a lower limit is sent to by a client with smaller batches.
 *
 * <p>If a client's batches are refused later, the limits are read again and the client is replaced, because nothing else makes it drop the
 * refused batches. Records to its topics wait meanwhile, so that none overtakes an earlier one. Those that the old client has not sent by
 * then fail as if the connection had been lost.
 *
 * <p>A broker that refuses one record, for example as invalid, refuses its whole batch. With a steady share of such records hardly any other would
 * arrive. So for some time each record to such a topic is a batch of its own, and only then the error is that of the record.
 */
final class FittingClients {
    private static final Logger LOG = LoggerFactory.getLogger(FittingClients.class);
    /** The pause between two looks at the number of refused batches; each look finds hundreds of them if no batch fits. */
    private static final long LOOK_MILLIS = 250;
    /** After so many looks that found refused batches, the limits read from the cluster are not the ones that apply. */
    private static final int LOOKS_UNTIL_HALVED = 4;
    /** Time for records that are not refused. Records that are refused are never sent, however long the client has. */
    private static final Duration UNTIL_REPLACED = Duration.ofMillis(250);

    /** A client without an answer for so long may be stuck. Longer than any broker makes a client pause (quotas), and than records wait. */
    static final Duration LONGEST_SILENCE = Duration.ofMinutes(10);

    /** Without a refused record for so long, records are sent together again. */
    static final Duration ALONE = Duration.ofMinutes(10);

    private static final String SMALL = "they accept no larger ones";
    /** For looks, and for the connections that read limits. */
    static final ScheduledThreadPoolExecutor TIMER = timer();

    private final Properties settings;
    private final Function<Properties, Producer<Object, Object>> producers;
    private final Limits limits;
    private final Clock clock;
    private final int batchSize;
    /** By batch size. Changed by the holder of this object's lock, which is also held while a client is replaced. */
    private final Map<Integer, Client> clients = new ConcurrentHashMap<>();
    /** The client of each topic; none before the first record and while a client is replaced. Changed like {@link #clients}. */
    private final Map<String, Client> topics = new ConcurrentHashMap<>();

    private final Map<String, Integer> sizes = new ConcurrentHashMap<>();
    /** The topics whose records are sent alone, and when one of them was refused last. */
    private final Map<String, Long> alone = new ConcurrentHashMap<>();
    /** Topics without a size whose first records wait. One thread reads the limits of all of them. */
    private final Set<String> unread = ConcurrentHashMap.newKeySet();

    private final Object reading = new Object();
    private volatile Refusal refusal;
    private boolean isClosed;
    /** Whether there was a client with these settings: it is the network that prevents another one, such as an unknown host. */
    private boolean isValid;

    /** The last login that the cluster refused. */
    private record Refusal(AuthenticationException error, long nanos) {}

    /** Reads from the cluster. */
    @FunctionalInterface
    interface Limits {
        /** The limits of topics in bytes, without those that cannot be read. */
        Map<String, Integer> of(Set<String> topics) throws InterruptedException;
    }

    /** Connects at once, and reports settings that no client can have. */
    FittingClients(
            Properties settings, Function<Properties, Producer<Object, Object>> producers, Limits limits, Clock clock) {
        this.settings = settings;
        this.producers = producers;
        this.limits = limits;
        this.clock = clock;
        batchSize = new ProducerConfig(settings).getInt(ProducerConfig.BATCH_SIZE_CONFIG);
        widest();
        isValid = true;
    }

    private static ScheduledThreadPoolExecutor timer() {
        var timer = Timers.daemons("caravan-kafka-limits", 1);
        timer.setRemoveOnCancelPolicy(true);
        timer.setKeepAliveTime(10, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        return timer;
    }

    /** Sends with the client of the record's topic. The partitions of the topic are known, or this is Kafka's thread. */
    Future<RecordMetadata> send(ProducerRecord<Object, Object> record, Callback callback) {
        Client used = client(record.topic());
        try {
            return used.send(record, callback);
        } catch (IllegalStateException | KafkaException e) {
            if (FirstAloneProducer.isOnKafkasThread()) {
                throw e;
            }
            if (used.isBroken()) {
                used.replaceBroken(e);
            }
            if (!used.isReplaced) {
                throw e;
            }
            return send(record, callback); // the client did not take the record
        }
    }

    /** The partitions of a topic, which its client knows then. Fails when the cluster has not answered within {@code max.block.ms}. */
    List<PartitionInfo> partitionsFor(String topic) {
        Client used = topics.get(topic);
        if (used == null) {
            partitionsFor(topic, widest()); // the limit is read of topics that exist
            used = client(topic);
        }
        return partitionsFor(topic, used);
    }

    private List<PartitionInfo> partitionsFor(String topic, Client used) {
        try {
            return used.producer.partitionsFor(topic);
        } catch (AuthenticationException e) {
            refusal = new Refusal(e, clock.nanos());
            throw e;
        } catch (KafkaException e) {
            if (e instanceof TimeoutException) {
                used.failed(e);
            }
            if (!used.isReplaced) {
                throw e;
            }
            return partitionsFor(topic);
        }
    }

    /** Throws the error of a login that was refused since a time. Kafka's client gives it to one of the threads that wait. */
    void requireLogin(long sinceNanos) {
        Refusal last = refusal;
        if (last != null && last.nanos - sinceNanos > 0) {
            throw last.error;
        }
    }

    /** The producer of most topics. */
    Producer<Object, Object> producer() {
        return widest().producer;
    }

    /** Kafka's thread must not wait, because the replacement waits for it. */
    private Client client(String topic) {
        Client client = topics.get(topic);
        if (client != null) {
            return client;
        }
        if (!FirstAloneProducer.isOnKafkasThread()) {
            return fitting(topic);
        }
        client = clients.get(batchSize);
        if (client == null) {
            throw replaced();
        }
        return client;
    }

    private Client fitting(String topic) {
        int size = size(topic);
        synchronized (this) {
            return topics.computeIfAbsent(topic, any -> client(sizes.getOrDefault(topic, size)));
        }
    }

    private Client widest() {
        Client widest = clients.get(batchSize);
        if (widest != null) {
            return widest;
        }
        synchronized (this) {
            return client(batchSize);
        }
    }

    private Client client(int size) {
        if (isClosed) {
            throw new IllegalStateException("Cannot perform operation after producer has been closed");
        }
        try {
            return clients.computeIfAbsent(size, Client::new);
        } catch (KafkaException e) {
            if (!isValid) {
                throw e;
            }
            throw new DisconnectException(
                    "Could not replace the client: " + Causes.root(e).getMessage(), e);
        }
    }

    private int size(String topic) {
        unread.add(topic);
        synchronized (reading) {
            if (!sizes.containsKey(topic)) {
                Set<String> some = Set.copyOf(unread);
                Map<String, Integer> lower = lower(read(some), batchSize);
                if (!lower.isEmpty()) {
                    log(lower, batchSize, SMALL);
                }
                some.forEach(each -> sizes.put(each, lower.getOrDefault(each, batchSize)));
            }
            unread.remove(topic);
            return sizes.get(topic);
        }
    }

    private Map<String, Integer> read(Set<String> some) {
        try {
            return limits.of(some);
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        } catch (KafkaException e) {
            LOG.debug("Could not read the limits of the topics {}", some, e);
            return Map.of(); // for example, no address of a broker can be resolved at this moment
        }
    }

    private static Map<String, Integer> lower(Map<String, Integer> read, int size) {
        return read.entrySet().stream()
                .filter(limit -> limit.getValue() < size)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private void look(Client client) {
        try {
            if (client.size == 1) {
                sendTogether(client);
            }
            client.looksWithRefusals = client.hasRefusals() ? client.looksWithRefusals + 1 : 0;
            if (client.looksWithRefusals > 0) {
                fit(client);
            }
        } catch (RuntimeException e) {
            LOG.warn(
                    "Could not adapt the batch size for {}: {}. It is tried again",
                    Formatted.counted(topics(client).size(), "topic"),
                    e.getClass().getSimpleName());
        }
    }

    private void fit(Client client) {
        Set<String> all = topics(client);
        Map<String, Integer> read = read(all);
        Map<String, Integer> lower = lower(read, client.size);
        if (!lower.isEmpty()) {
            limit(client, lower, SMALL);
        } else if (client.looksWithRefusals >= LOOKS_UNTIL_HALVED && client.size > 1) {
            client.looksWithRefusals = 0;
            limit(client, halved(client, all, read.keySet()), "larger ones are refused");
        }
    }

    private void sendAlone(String topic, Client client) {
        if (client.isReplaced) {
            alone.remove(topic); // until a batch of the new client is refused
        } else {
            limit(client, Map.of(topic, 1), "a record that is refused fails the others in its batch");
        }
    }

    private void sendTogether(Client client) {
        Set<String> again = alone.entrySet().stream()
                .filter(topic -> clock.nanos() - topic.getValue() > ALONE.toNanos())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        if (!again.isEmpty()) {
            alone.keySet().removeAll(again);
            sizes.keySet().removeAll(again);
            replace(client, Map.of());
        }
    }

    /** Halves the size for topics whose limit cannot be read, or for all if each can be. */
    private static Map<String, Integer> halved(Client client, Set<String> all, Set<String> read) {
        return all.stream()
                .filter(topic -> !read.contains(topic) || read.containsAll(all))
                .collect(Collectors.toMap(topic -> topic, topic -> client.size / 2));
    }

    private void limit(Client client, Map<String, Integer> lower, String reason) {
        log(lower, client.size, reason);
        replace(client, lower);
    }

    private static void log(Map<String, Integer> lower, int before, String reason) {
        LOG.info("Batches of records to these topics are limited to {} bytes instead of {}: {}", lower, before, reason);
    }

    private Set<String> topics(Client client) {
        return topics.entrySet().stream()
                .filter(topic -> topic.getValue() == client)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** The next records to the client's topics get a new client, those to topics that accept less one with smaller batches. */
    private synchronized boolean replace(Client client, Map<String, Integer> lower) {
        if (!clients.remove(client.size, client)) {
            return false;
        }
        sizes.putAll(lower);
        client.isReplaced = true;
        topics.values().removeIf(each -> each == client);
        client.close(UNTIL_REPLACED);
        return true;
    }

    /** Closes the clients. No route uses them, but a thread of one that has stopped may still begin to send. */
    synchronized void close(Duration timeout) {
        isClosed = true;
        clients.values().forEach(client -> client.close(timeout));
        clients.clear();
    }

    private static KafkaException replaced() {
        return new DisconnectException("The client was replaced before it had sent the record.");
    }

    /** One client of Kafka, and how many of its batches were refused. */
    private final class Client {
        private final Producer<Object, Object> producer;
        private final int size;
        private final Metric refusals;
        private final ScheduledFuture<?> look;
        private double seen;
        private int looksWithRefusals;
        private volatile boolean isReplaced;
        private volatile long answeredAt = clock.nanos();

        private Client(int size) {
            this.size = size;
            Properties own = new Properties();
            own.putAll(settings);
            own.put(ProducerConfig.BATCH_SIZE_CONFIG, size);
            producer = producers.apply(own);
            refusals = producer.metrics().entrySet().stream()
                    .filter(metric -> metric.getKey().name().equals("batch-split-total"))
                    .findAny()
                    .<Metric>map(Map.Entry::getValue)
                    .orElseThrow();
            look = TIMER.scheduleWithFixedDelay(() -> look(this), LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
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
                failed(error);
                refused(record.topic(), error);
                Exception reason = isReplaced && isAborted(error) ? replaced() : ofRecord(ofClient(error));
                if (reason == null) {
                    result.complete(metadata);
                } else {
                    result.completeExceptionally(reason);
                }
                callback.onCompletion(metadata, reason);
            });
            return result;
        }

        /** Notes that a record of a topic, or another one in its batch, was refused. */
        private void refused(String topic, Exception error) {
            boolean isOfAnother =
                    isAborted(error) && String.valueOf(error.getMessage()).contains("part of a batch");
            if (!isOfAnother && !isOfBatch(error)) {
                return;
            }
            if (!isBatching()) {
                alone.computeIfPresent(topic, (any, before) -> clock.nanos());
            } else if (alone.put(topic, clock.nanos()) == null) {
                TIMER.execute(() -> sendAlone(topic, this));
            }
        }

        /**
         * Whether an answer may refuse all records of a batch for one of them. Kafka's brokers name the one that is invalid, but others, such as
         * Redpanda, do not, and none names the one that it cannot process.
         */
        private static boolean isOfBatch(Exception error) {
            return error instanceof InvalidRecordException
                    || error instanceof InvalidTimestampException
                    || error instanceof RecordBatchTooLargeException
                    || error instanceof UnknownServerException;
        }

        private boolean isBatching() {
            return size > 1;
        }

        /** Without the type of the error, which would make each message of a batch dead: the record is refused again if it is sent alone. */
        private Exception ofRecord(Exception error) {
            return isBatching() && isOfBatch(error)
                    ? new KafkaException("The batch of the record was refused: " + error.getMessage())
                    : error;
        }

        /** Whether the client did not send the record because it was closed. All reasons of the cluster have a class of their own. */
        private static boolean isAborted(Exception error) {
            return error != null && error.getClass() == KafkaException.class;
        }

        /**
         * Replaces the client after a failure that does not end by itself. That may also be a silence: one answer that cannot be read, or a pause of
         * days that a broker requests, stops a client for good, while Kafka serves others.
         */
        private void failed(Exception error) {
            if (!(error instanceof TimeoutException)) {
                answeredAt = clock.nanos();
            }
            boolean isFatal = error instanceof ClusterAuthorizationException
                    || error instanceof UnsupportedVersionException
                    || error != null && isBroken();
            if (isFatal || clock.nanos() - answeredAt > LONGEST_SILENCE.toNanos()) {
                TIMER.execute(() -> replaceBroken(error));
            }
        }

        /** Whether the client fails all later records. While routes use it, no restart of a route would end that. */
        private boolean isBroken() {
            return producer instanceof LimitedProducer own && own.hasFatalError();
        }

        /** The error of a client that fails all records is not about this one. */
        private Exception ofClient(Exception error) {
            boolean isOfDestination = error instanceof RetriableException || error instanceof AuthorizationException;
            return error == null || isOfDestination || !isBroken()
                    ? error
                    : new DisconnectException("The client is replaced: " + error.getMessage(), error);
        }

        private void replaceBroken(Exception error) {
            Set<String> its = topics(this);
            if (replace(this, Map.of())) {
                LOG.warn(
                        "The client for {} is replaced: {}",
                        Formatted.counted(its.size(), "topic"),
                        error.getClass().getSimpleName());
            }
        }

        private void close(Duration timeout) {
            look.cancel(false);
            producer.close(timeout);
        }
    }
}
