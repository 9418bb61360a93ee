package dev.caravan.camel.kafka;

import java.lang.reflect.Field;
import org.apache.kafka.common.network.Selector;

/**
 * Limits the answers of brokers. Kafka's client allocates the length that an answer begins with. A server that is no broker, such as an HTTP
 * server or one that expects TLS, begins with a text or an alert, which is a length of up to 2 GB: the memory of the relay, and its end.
 */
public final class AnswerSize {
    /** More than the metadata of a cluster: a producer receives nothing else of any size. */
    private static final int MOST = 16 * 1024 * 1024;

    private AnswerSize() {}

    /** @param owner a sender or an admin of Kafka, with a client that is not connected yet */
    public static void limit(Object owner) {
        try {
            Object client = field(owner, "client").get(owner);
            Object selector = field(client, "selector").get(client);
            if (selector instanceof Selector) {
                field(selector, "maxReceiveSize").setInt(selector, MOST);
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This version of Kafka's client has no limit for answers", e);
        }
    }

    private static Field field(Object owner, String name) throws NoSuchFieldException {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }
}
