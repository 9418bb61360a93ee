package dev.caravan.routes.tryout;

import dev.caravan.camel.kafka.KafkaClients;
import dev.caravan.routes.destination.Answer;
import dev.caravan.routes.destination.Bytes;
import dev.caravan.routes.destination.Header;
import dev.caravan.routes.destination.KafkaSent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.apache.camel.component.kafka.DefaultKafkaClientFactory;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.record.AbstractRecords;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.serialization.Serializer;

/** Creates producers for the kafka component that record, and send only if the dry run sends. */
final class RecordedKafka extends DefaultKafkaClientFactory {
    private final Recorder recorder;
    private final KafkaClients clients;

    RecordedKafka(Recorder recorder, ClassLoader loader) {
        this.recorder = recorder;
        this.clients = new KafkaClients(loader);
    }

    @Override
    public Producer<Object, Object> getProducer(Properties settings) {
        ProducerConfig config = new ProducerConfig(settings);
        return recorder.sends() ? new Sender(config, clients.getProducer(settings)) : new Sender(config, null);
    }

    /** A producer that sends nothing itself. */
    private final class Sender extends MockProducer<Object, Object> {
        private final Serializer<Object> keys;
        private final Serializer<Object> values;
        private final int maxRequestSize;
        private final Producer<Object, Object> real;

        /** @param real sends the records; null if they are not sent */
        private Sender(ProducerConfig config, Producer<Object, Object> real) {
            this(
                    serializer(config, ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, true),
                    serializer(config, ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, false),
                    config.getInt(ProducerConfig.MAX_REQUEST_SIZE_CONFIG),
                    real);
        }

        private Sender(
                Serializer<Object> keys, Serializer<Object> values, int maxRequestSize, Producer<Object, Object> real) {
            super(true, keys, values);
            this.keys = keys;
            this.values = values;
            this.maxRequestSize = maxRequestSize;
            this.real = real;
        }

        @Override
        public synchronized java.util.concurrent.Future<RecordMetadata> send(
                ProducerRecord<Object, Object> record, Callback callback) {
            byte[] key = keys.serialize(record.topic(), record.headers(), record.key());
            byte[] value = values.serialize(record.topic(), record.headers(), record.value());
            KafkaSent sent = sent(record, key, value);
            if (real != null) {
                return real.send(record, (metadata, error) -> {
                    recorder.sent(sent, answered(metadata, error));
                    if (callback != null) {
                        callback.onCompletion(metadata, error);
                    }
                });
            }
            Answer answer = recorder.answer(sent);
            RuntimeException error = error(record, key, value, answer);
            if (error == null) {
                return super.send(record, callback);
            }
            if (callback != null) {
                callback.onCompletion(
                        new RecordMetadata(new TopicPartition(record.topic(), -1), -1, -1, -1, -1, -1), error);
            }
            return java.util.concurrent.CompletableFuture.failedFuture(error);
        }

        private RuntimeException error(ProducerRecord<Object, Object> record, byte[] key, byte[] value, Answer answer) {
            int size = AbstractRecords.estimateSizeInBytesUpperBound(
                    RecordBatch.CURRENT_MAGIC_VALUE,
                    CompressionType.NONE,
                    key,
                    value,
                    record.headers().toArray());
            if (size > maxRequestSize) {
                return new RecordTooLargeException("The message is " + size
                        + " bytes when serialized which is larger than " + maxRequestSize
                        + ", which is the value of the max.request.size configuration.");
            }
            return answer.isFailure() ? failure(record.topic(), answer) : null;
        }

        @Override
        public void close(java.time.Duration timeout) {
            super.close(timeout);
            if (real != null) {
                real.close(timeout);
            }
        }

        @Override
        public void close() {
            close(java.time.Duration.ofSeconds(5));
        }
    }

    @SuppressWarnings("unchecked")
    private static Serializer<Object> serializer(ProducerConfig config, String option, boolean ofKeys) {
        Serializer<Object> serializer = config.getConfiguredInstance(option, Serializer.class);
        serializer.configure(config.originals(), ofKeys);
        return serializer;
    }

    private static RuntimeException failure(String topic, Answer answer) {
        return switch (answer.kind()) {
            case TIMEOUT, REFUSED ->
                new TimeoutException("Topic " + topic + " not present in metadata after 60000 ms.");
            case CUT -> new NetworkException("The server disconnected before a response was received.");
            case ANSWERED ->
                switch (answer.status()) {
                    case 401, 403 -> new TopicAuthorizationException(topic);
                    case 413 -> new RecordTooLargeException("The broker refused a record that is too large.");
                    case 429, 503 -> new TimeoutException("Expiring 1 record(s) for " + topic);
                    default -> new UnknownServerException("The broker answered " + answer.status());
                };
        };
    }

    private static Answer answered(RecordMetadata metadata, Exception error) {
        return error == null
                ? Answer.OK.withDetail("partition " + metadata.partition() + ", offset " + metadata.offset())
                : Answer.status(500).withDetail(error.toString());
    }

    private static KafkaSent sent(ProducerRecord<Object, Object> record, byte[] key, byte[] value) {
        List<Header> headers = new ArrayList<>();
        record.headers().forEach(header -> headers.add(Header.of(header.key(), header.value())));
        return new KafkaSent(
                record.topic(),
                Optional.ofNullable(record.partition()),
                Optional.ofNullable(key).map(Bytes::new),
                headers,
                Optional.ofNullable(value).map(Bytes::new));
    }
}
