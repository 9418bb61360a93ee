package org.apache.kafka.clients.producer;

import dev.caravan.camel.kafka.AnswerSize;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
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

    /**
     * Whether the client fails all records from now on. One answer of a broker is enough, for example any error to the request for a
     * producer id that the client does not expect: it never asks again.
     */
    public boolean hasFatalError() {
        try {
            Field field = KafkaProducer.class.getDeclaredField("transactionManager");
            field.setAccessible(true);
            Object state = field.get(this);
            if (state == null) {
                return false; // enable.idempotence is false
            }
            Method method = state.getClass().getDeclaredMethod("hasFatalError");
            method.setAccessible(true);
            return (boolean) method.invoke(state);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This version of Kafka's client does not say that it is broken", e);
        }
    }
}
