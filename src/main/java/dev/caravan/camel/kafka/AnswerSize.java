package dev.caravan.camel.kafka;

import dev.caravan.camel.step.FieldCopy;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.Map;
import javax.security.auth.Subject;
import org.apache.kafka.common.network.ConnectionMode;
import org.apache.kafka.common.network.InvalidReceiveException;
import org.apache.kafka.common.network.SaslChannelBuilder;
import org.apache.kafka.common.network.Selector;
import org.apache.kafka.common.network.TransportLayer;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.security.authenticator.SaslClientAuthenticator;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;

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
        Object client = field(owner, "client");
        if (field(client, "selector") instanceof Selector selector) {
            FieldCopy.set(Selector.class, "maxReceiveSize", selector, MOST);
            if (field(selector, "channelBuilder") instanceof SaslChannelBuilder sasl) {
                FieldCopy.set(Selector.class, "channelBuilder", selector, new LimitedLogins(sasl));
            }
        }
    }

    private static Object field(Object owner, String name) {
        return FieldCopy.value(owner.getClass(), name, owner, Object.class);
    }

    /** Kafka reads the answers to a login without that limit. */
    private static final class LimitedLogins extends SaslChannelBuilder {
        private LimitedLogins(SaslChannelBuilder original) {
            super(
                    ConnectionMode.CLIENT,
                    Map.of(),
                    SecurityProtocol.SASL_PLAINTEXT,
                    null,
                    false,
                    null,
                    false,
                    null,
                    null,
                    null,
                    Time.SYSTEM,
                    new LogContext(),
                    null);
            FieldCopy.copy(SaslChannelBuilder.class, original, this);
        }

        @Override
        protected SaslClientAuthenticator buildClientAuthenticator(
                Map<String, ?> settings,
                AuthenticateCallbackHandler callbacks,
                String id,
                String host,
                String service,
                TransportLayer connection,
                Subject subject) {
            return super.buildClientAuthenticator(settings, callbacks, id, host, service, limited(connection), subject);
        }

        private static TransportLayer limited(TransportLayer connection) {
            return (TransportLayer) Proxy.newProxyInstance(
                    AnswerSize.class.getClassLoader(),
                    new Class<?>[] {TransportLayer.class},
                    (proxy, method, arguments) -> {
                        try {
                            Object result = method.invoke(connection, arguments);
                            if (method.getName().equals("read") && arguments[0] instanceof ByteBuffer part) {
                                requireShort(part);
                            }
                            return result;
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        /** Kafka reads the length of an answer into four bytes, and no answer has only four. */
        private static void requireShort(ByteBuffer part) {
            if (part.capacity() == Integer.BYTES && !part.hasRemaining() && part.getInt(0) > MOST) {
                throw new InvalidReceiveException("the answer to a login has " + part.getInt(0) + " bytes");
            }
        }
    }
}
