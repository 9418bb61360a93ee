package org.apache.kafka.clients.producer;

import dev.caravan.camel.kafka.AnswerSize;
import dev.caravan.camel.step.FieldCopy;
import java.util.Properties;
import org.apache.kafka.clients.KafkaClient;
import org.apache.kafka.clients.producer.internals.ProducerMetadata;
import org.apache.kafka.clients.producer.internals.Sender;
import org.apache.kafka.clients.producer.internals.TransactionManager;
import org.apache.kafka.common.utils.LogContext;

/**
 * Kafka's producer with a limit for the answers of brokers. It stands in Kafka's package, because only there the method can be overridden that
 * creates the client before its thread connects to a broker.
 */
public abstract class LimitedProducer extends KafkaProducer<Object, Object> {
    protected LimitedProducer(Properties settings) {
        super(settings);
        hasFatalError(); // another version of Kafka's client is found here, and not when a record fails
    }

    @Override
    Sender newSender(LogContext log, KafkaClient client, ProducerMetadata metadata) {
        Sender sender = super.newSender(log, client, metadata);
        AnswerSize.limit(sender);
        return sender;
    }

    /**
     * Whether the client fails all records from now on. One answer of a broker is enough, for example any error to the request for a
     * producer id that the client does not expect: it never asks again.
     */
    public boolean hasFatalError() {
        var state = FieldCopy.value(KafkaProducer.class, "transactionManager", this, TransactionManager.class);
        return state != null // enable.idempotence
                && FieldCopy.value(TransactionManager.class, "currentState", state, Enum.class)
                        .name()
                        .equals("FATAL_ERROR");
    }
}
