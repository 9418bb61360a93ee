package org.apache.kafka.clients.producer;

import dev.caravan.camel.kafka.AnswerSize;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
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
    private static final String OTHER_VERSION = "This version of Kafka's client does not say that it is broken";
    /** The state of a producer; null if {@code enable.idempotence} is false. Found before the first record: later, its callback would fail. */
    private static final Field STATE = state();

    private static final Method IS_FATAL = isFatal();

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
            Object state = STATE.get(this);
            return state != null && (boolean) IS_FATAL.invoke(state);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Field state() {
        try {
            Field state = KafkaProducer.class.getDeclaredField("transactionManager");
            state.setAccessible(true);
            return state;
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(OTHER_VERSION, e);
        }
    }

    private static Method isFatal() {
        try {
            Method isFatal = TransactionManager.class.getDeclaredMethod("hasFatalError");
            isFatal.setAccessible(true);
            return isFatal;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(OTHER_VERSION, e);
        }
    }
}
