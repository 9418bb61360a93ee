package org.apache.kafka.clients.producer;

import dev.caravan.camel.kafka.AnswerSize;
import java.util.Properties;
import org.apache.kafka.clients.KafkaClient;
import org.apache.kafka.clients.producer.internals.ProducerMetadata;
import org.apache.kafka.clients.producer.internals.Sender;
import org.apache.kafka.common.utils.LogContext;

/**
 * Kafka's producer with a limit for the answers of brokers. It stands in Kafka's package, because only there the method can be overridden that
 * creates the client before its thread connects to a broker.
 */
public abstract class LimitedProducer extends KafkaProducer<Object, Object> {
    protected LimitedProducer(Properties settings) {
        super(settings);
    }

    @Override
    Sender newSender(LogContext log, KafkaClient client, ProducerMetadata metadata) {
        Sender sender = super.newSender(log, client, metadata);
        AnswerSize.limit(sender);
        return sender;
    }
}
