package dev.caravan.camel.httpclient;

import dev.caravan.camel.step.AnswerLimits;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import org.apache.camel.Endpoint;
import org.apache.camel.Producer;
import org.apache.camel.component.http.HttpClientConfigurer;
import org.apache.camel.component.http.HttpEndpoint;
import org.apache.camel.spi.EndpointStrategy;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.ChainElement;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.util.TimeValue;

/** Makes each HTTP endpoint send messages with {@link DeliveringProducer}, and with limits for time and answers. */
public final class HttpDeliveries implements EndpointStrategy {
    /**
     * Limits of the head of an answer, and of the lines between the chunks of its body. Without them they fill the memory: at 1.6 MB a head is about
     * as long as the longest body, of which there is one for each message in flight.
     */
    private static final Http1Config LIMITED_HEAD = Http1Config.custom()
            .setMaxLineLength(16 * 1024)
            .setMaxHeaderCount(100)
            .build();

    /**
     * A connection that was not used for longer is examined before a request is sent on it, which takes a millisecond: a receiver may have
     * closed it, and the message would cost an attempt. Requests that follow one another do not wait.
     */
    private static final ConnectionConfig EXAMINED = ConnectionConfig.custom()
            .setValidateAfterInactivity(TimeValue.ofMilliseconds(10))
            .build();

    private final AnswerLimits limits;

    public HttpDeliveries(AnswerLimits limits) {
        this.limits = limits;
    }

    @Override
    public Endpoint registerEndpoint(String uri, Endpoint endpoint) {
        if (!(endpoint instanceof HttpEndpoint http)) {
            return endpoint;
        }
        if (http.getClientConnectionManager() instanceof PoolingHttpClientConnectionManager connections) {
            configure(connections);
        }
        HttpEndpoint delivering = new DeliveringEndpoint(http);
        HttpClientConfigurer options = http.getHttpClientConfigurer();
        delivering.setHttpClientConfigurer(client -> {
            if (options != null) {
                options.configureHttpClient(client);
            }
            configure(client);
        });
        return delivering;
    }

    private void configure(HttpClientBuilder client) {
        client.setRedirectStrategy(new SameMethodRedirects());
        client.setRequestExecutor(new EarlyAnswers());
        client.addExecInterceptorFirst("limited", new LimitedRequests(limits));
        client.addExecInterceptorBefore(ChainElement.CONNECT.name(), "unused", new UnusedConnections());
        client.addExecInterceptorBefore(
                ChainElement.MAIN_TRANSPORT.name(), "sent", (request, scope, chain) -> RunningRequest.of(
                                scope.clientContext)
                        .send(() -> chain.proceed(request, scope)));
    }

    /** A manager that exists has no setter for its factory of connections, and Camel creates the manager. */
    private static void configure(PoolingHttpClientConnectionManager connections) {
        try {
            field(connections, "connFactory")
                    .set(
                            connections,
                            ManagedHttpClientConnectionFactory.builder()
                                    .http1Config(LIMITED_HEAD)
                                    .build());
            if (field(connections, "connectionConfigResolver").get(connections) == null) { // not of a user
                connections.setDefaultConnectionConfig(EXAMINED);
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This version of the HTTP client has no factory of connections", e);
        }
    }

    private static Field field(PoolingHttpClientConnectionManager connections, String name)
            throws NoSuchFieldException {
        Field field = PoolingHttpClientConnectionManager.class.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    /** A copy of an endpoint with another producer: Camel has no option for it, and the step {@code rest} needs an {@link HttpEndpoint}. */
    private static final class DeliveringEndpoint extends HttpEndpoint {
        private DeliveringEndpoint(HttpEndpoint original) {
            for (Class<?> type = HttpEndpoint.class; type != Object.class; type = type.getSuperclass()) {
                for (Field field : type.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers())) {
                        copy(field, original);
                    }
                }
            }
        }

        private void copy(Field field, HttpEndpoint original) {
            try {
                field.setAccessible(true);
                field.set(this, field.get(original));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e); // accessible
            }
        }

        @Override
        public Producer createProducer() {
            return new DeliveringProducer(this);
        }
    }
}
