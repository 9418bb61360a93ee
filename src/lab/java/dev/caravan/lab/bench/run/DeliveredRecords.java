package dev.caravan.lab.bench.run;

import dev.caravan.base.text.Formatted;
import dev.caravan.lab.servers.KafkaTopics;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The records of a topic, read after the run, and the check that exactly the expected messages arrived. */
public final class DeliveredRecords {
    public static final IntPredicate ALL = number -> true;

    private final String topic;
    private final long[] times; // of the first arrival, by number; 0 if it did not arrive
    private final Map<String, Integer> lastOfKey = new HashMap<>();
    private final Map<String, Long> firstOfRelay = new HashMap<>();
    private int repeats;
    private String disorder = "";

    /** Creates it without records. */
    DeliveredRecords(String topic, int messages) {
        this.topic = topic;
        times = new long[messages + 1];
    }

    /** @param messages the highest number; payloads are numbered from 1 */
    public static DeliveredRecords in(Topic topic, int messages) {
        DeliveredRecords arrivals = new DeliveredRecords(topic.name(), messages);
        new KafkaTopics(topic.brokers()).read(topic.name(), new ByteArrayDeserializer(), arrivals::add);
        return arrivals;
    }

    /** Adds a record. Records of a key must be added in the order of the log. */
    void add(ConsumerRecord<byte[], byte[]> record) {
        int number = number(record.value());
        if (times[number] > 0) {
            repeats++;
            return;
        }
        times[number] = record.timestamp();
        String key = new String(record.key(), StandardCharsets.UTF_8);
        Integer before = lastOfKey.put(key, number);
        if (before != null && before > number) {
            disorder = "message " + number + " of key " + key + " arrived after " + before;
        }
        var relay = record.headers().lastHeader("relay");
        if (relay != null) {
            firstOfRelay.merge(new String(relay.value(), StandardCharsets.UTF_8), record.timestamp(), Math::min);
        }
    }

    /** The number in a payload that begins with <code>{"orderId":</code>. */
    public static int number(byte[] payload) {
        int number = 0;
        for (int i = "{\"orderId\":".length(); payload[i] != ','; i++) {
            number = number * 10 + payload[i] - '0';
        }
        return number;
    }

    /**
     * @param expected whether a number must arrive; other numbers must not
     * @throws IllegalStateException if one is missing, unexpected, repeated or out of order
     */
    public DeliveredRecords requireOnceInOrder(IntPredicate expected) {
        if (repeats > 0) {
            throw new IllegalStateException(Formatted.counted(repeats, "message") + " arrived twice in " + topic);
        }
        return requireAllInOrder(expected);
    }

    /** Like {@link #requireOnceInOrder}, but repeats are allowed: a relay was killed. */
    public DeliveredRecords requireAllInOrder(IntPredicate expected) {
        for (int number = 1; number < times.length; number++) {
            if (expected.test(number) != times[number] > 0) {
                throw new IllegalStateException(
                        "Message " + number + (times[number] > 0 ? " must not arrive in " : " is missing in ") + topic);
            }
        }
        if (!disorder.isEmpty()) {
            throw new IllegalStateException("Out of order in " + topic + ": " + disorder);
        }
        return this;
    }

    /** The number of records that were repeats. */
    public int repeats() {
        return repeats;
    }

    /** The time at which a message arrived, in milliseconds of the broker's clock. */
    public long time(int number) {
        return times[number];
    }

    /** The time of the first record with this relay in the header "relay". */
    public OptionalLong firstOf(String relay) {
        Long first = firstOfRelay.get(relay);
        return first == null ? OptionalLong.empty() : OptionalLong.of(first);
    }

    /** The times of some of the messages that arrived, sorted. */
    public long[] times(IntPredicate which) {
        return IntStream.range(1, times.length)
                .filter(number -> times[number] > 0 && which.test(number))
                .mapToLong(number -> times[number])
                .sorted()
                .toArray();
    }

    /** Messages per second between the first and the last record of some of the messages. */
    public double rate(IntPredicate which) {
        return rate(times(which), 0);
    }

    /** The rate of all messages without the first fifth of them, during which Java still compiles. */
    public double warmRate() {
        long[] sorted = times(ALL);
        return rate(sorted, sorted.length / 5);
    }

    /** Processor time per message in microseconds, without the first fifth of the messages. */
    public double warmCpu(CpuSamples samples) {
        long[] sorted = times(ALL);
        int from = sorted.length / 5;
        return samples.since(sorted[from]).toNanos() / 1e3 / (sorted.length - from);
    }

    private static double rate(long[] sorted, int from) {
        if (sorted.length == 0) {
            throw new IllegalStateException("Nothing arrived, so there is no rate");
        }
        long millis = Math.max(1, sorted[sorted.length - 1] - sorted[from]);
        return (sorted.length - from) * 1000.0 / millis;
    }
}
