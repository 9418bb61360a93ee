package dev.caravan.kafka;

import java.util.List;
import java.util.Properties;
import org.apache.camel.component.kafka.DefaultKafkaClientFactory;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Creates the producers of the kafka component. */
public final class KafkaClients extends DefaultKafkaClientFactory {
    private final ClassLoader loader;
    private final ReachedBrokers brokers = new ReachedBrokers();

    /** @param loader the loader of classes that settings name, such as the login of a cloud provider */
    public KafkaClients(ClassLoader loader) {
        this.loader = loader;
    }

    @Override
    public Producer<Object, Object> getProducer(Properties settings) {
        writeTextOfOthers(settings);
        brokers.check(List.of(settings.getOrDefault(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "")
                .toString()
                .split("\\s*,\\s*")));
        // Camel has set the loader of Kafka's own classes
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return new FirstAloneProducer(settings);
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
