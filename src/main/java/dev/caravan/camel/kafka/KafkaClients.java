package dev.caravan.camel.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.camel.component.kafka.DefaultKafkaClientFactory;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Creates the producers of the kafka component. */
public final class KafkaClients extends DefaultKafkaClientFactory {
    private static final int LIMIT_TIMEOUT_MILLIS = 5_000;

    private final ClassLoader loader;
    private final ReachedBrokers brokers = new ReachedBrokers();

    /** @param loader the loader of classes that settings name, such as the login of a cloud provider */
    public KafkaClients(ClassLoader loader) {
        this.loader = loader;
    }

    /** A producer with transactions is used as it is: its batches belong to a transaction, which a new client could not continue. */
    @Override
    public Producer<Object, Object> getProducer(Properties settings) {
        writeTextOfOthers(settings);
        brokers.check(List.of(settings.getOrDefault(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "")
                .toString()
                .split("\\s*,\\s*")));
        return settings.containsKey(ProducerConfig.TRANSACTIONAL_ID_CONFIG)
                ? client(settings)
                : new FittingProducer(settings, this::client, topics -> limit(settings, topics));
    }

    private Producer<Object, Object> client(Properties settings) {
        return withLoader(() -> new FirstAloneProducer(settings));
    }

    private int limit(Properties ofProducer, Set<String> topics) throws InterruptedException {
        Properties settings = new Properties();
        settings.putAll(ofProducer);
        settings.keySet().retainAll(AdminClientConfig.configNames());
        settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, LIMIT_TIMEOUT_MILLIS);
        settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, LIMIT_TIMEOUT_MILLIS);
        Admin admin = withLoader(() -> Admin.create(settings));
        AnswerSize.limit(admin);
        try {
            return TopicLimit.smallest(admin, topics).orElse(FittingProducer.Limits.UNKNOWN);
        } finally {
            admin.close(Duration.ZERO);
        }
    }

    /** Camel has set the loader of Kafka's own classes. */
    private <T> T withLoader(Supplier<T> client) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return client.get();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Sets the serializer of values that are neither bytes nor text. */
    public static void writeTextOfOthers(Properties settings) {
        // the kafka component has replaced the name by the class
        settings.replace(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class, BytesOrText.class);
    }
}
