package dev.caravan.kafka;

import java.util.Properties;
import org.apache.camel.component.kafka.DefaultKafkaClientFactory;
import org.apache.kafka.clients.producer.Producer;

/** Creates the producers of the kafka component. */
public final class KafkaClients extends DefaultKafkaClientFactory {
    @Override
    public Producer<Object, Object> getProducer(Properties settings) {
        return new FirstAloneProducer(settings);
    }
}
