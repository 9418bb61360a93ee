package dev.caravan.camel.httpclient;

import dev.caravan.camel.headers.HttpHeaderRules;
import dev.caravan.camel.step.AnswerLimits;
import dev.caravan.camel.step.ExactHttp;
import dev.caravan.camel.step.FieldCopy;
import dev.caravan.camel.step.OutboxDelivery;
import dev.caravan.camel.step.ProducerByExchange;
import java.net.URI;
import java.util.IdentityHashMap;
import java.util.Map;
import org.apache.camel.CamelContext;
import org.apache.camel.Endpoint;
import org.apache.camel.PollingConsumer;
import org.apache.camel.Producer;
import org.apache.camel.component.http.HttpEndpoint;
import org.apache.camel.spi.EndpointStrategy;
import org.apache.camel.support.service.ServiceHelper;
import org.apache.camel.support.service.ServiceSupport;
import org.apache.hc.client5.http.HttpRequestRetryStrategy;
import org.apache.hc.client5.http.auth.CredentialsProvider;
import org.apache.hc.client5.http.classic.HttpClient;
import org.apache.hc.client5.http.cookie.BasicCookieStore;
import org.apache.hc.client5.http.cookie.CookieStore;
import org.apache.hc.client5.http.impl.ChainElement;
import org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy;
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.io.HttpClientConnectionManager;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.protocol.HttpContext;

/**
 * Makes each HTTP endpoint send messages of an outbox with {@link DeliveringProducer}, with limits for time and answers, and on
 * connections of their own. Other exchanges of the endpoint are sent as without Caravan.
 */
public final class HttpDeliveries implements EndpointStrategy {
    private final AnswerLimits limits;
    /** The connections of messages, by the manager that the user has set for several endpoints. */
    private final Map<HttpClientConnectionManager, HttpClientConnectionManager> shared = new IdentityHashMap<>();

    public HttpDeliveries(AnswerLimits limits) {
        this.limits = limits;
    }

    @Override
    public Endpoint registerEndpoint(String uri, Endpoint endpoint) {
        return endpoint instanceof HttpEndpoint http ? new BothHttp(http) : endpoint;
    }

    private synchronized HttpClientConnectionManager shared(
            PoolingHttpClientConnectionManager connections, CamelContext context) {
        return shared.computeIfAbsent(connections, any -> closedWith(context, LimitedConnections.as(connections)));
    }

    private HttpClientConnectionManager closedWith(CamelContext context, HttpClientConnectionManager connections) {
        try {
            context.addService(new ServiceSupport() {
                @Override
                protected void doStop() throws Exception {
                    forget(connections);
                    connections.close();
                }
            });
        } catch (Exception e) {
            throw new IllegalStateException(e); // it starts nothing
        }
        return connections;
    }

    private synchronized void forget(HttpClientConnectionManager connections) {
        shared.values().remove(connections);
    }

    private void configure(HttpClientBuilder client) {
        if (FieldCopy.value(HttpClientBuilder.class, "retryStrategy", client, HttpRequestRetryStrategy.class) == null) {
            client.setRetryStrategy(new NoWait());
        }
        CredentialsProvider logins =
                FieldCopy.value(HttpClientBuilder.class, "credentialsProvider", client, CredentialsProvider.class);
        if (logins instanceof BasicCredentialsProvider) { // not one that a user has written
            client.setDefaultCredentialsProvider(new ReceiversLogin(logins));
        }
        client.setRedirectStrategy(new SafeRedirects());
        client.setRequestExecutor(new EarlyAnswers());
        client.addExecInterceptorFirst("limited", new LimitedRequests(limits));
        client.addExecInterceptorAfter(ChainElement.COMPRESS.name(), "packed", new PackedOnce(limits));
        client.addExecInterceptorBefore(ChainElement.CONNECT.name(), "unused", new UnusedConnections());
        client.addExecInterceptorBefore(
                ChainElement.MAIN_TRANSPORT.name(), "sent", (request, scope, chain) -> RunningRequest.of(
                                scope.clientContext)
                        .send(() -> chain.proceed(request, scope)));
    }

    /** Leaves answers such as 503 to the outbox: the client would wait in the thread of the attempt, as long as Retry-After says. */
    private static final class NoWait extends DefaultHttpRequestRetryStrategy {
        @Override
        public boolean retryRequest(HttpResponse answer, int count, HttpContext context) {
            return false;
        }
    }

    /**
     * An endpoint with two producers. It takes the place of an endpoint, because Camel has no option for the producer, and the step
     * {@code rest} needs an {@link HttpEndpoint}.
     */
    private final class BothHttp extends HttpEndpoint implements OutboxDelivery, ExactHttp, HttpAt.Shared {
        private final HttpEndpoint original;
        /** The settings of the client before the options of the endpoint are added to them. */
        private final HttpClientBuilder settings;
        /** Null before {@link #createHttpClient}. */
        private HttpClient created;
        /** Null before the first message, and while nothing uses it. */
        private DeliveringHttp own;
        /** Number of producers, consumers and attempts that use it. */
        private int users;

        private BothHttp(HttpEndpoint original) {
            FieldCopy.copy(HttpEndpoint.class, original, this);
            this.original = original;
            settings = copied(original.getClientBuilder(), HttpClientBuilder.create());
        }

        @Override
        protected HttpClient createHttpClient() {
            created = super.createHttpClient();
            return created;
        }

        @Override
        public Producer createProducer() {
            return new ProducerByExchange(this, this::createDelivery, this::createOther);
        }

        @Override
        public Producer createDelivery() {
            return at(getHttpUri(), false).createProducer();
        }

        private Producer createOther() throws Exception {
            return original.getClass() == HttpEndpoint.class ? super.createProducer() : original.createProducer();
        }

        @Override
        public PollingConsumer createPollingConsumer() throws Exception {
            return new PollingByExchange(
                    this, () -> at(getHttpUri(), false).createPollingConsumer(), super.createPollingConsumer());
        }

        @Override
        public HttpAt at(URI address, boolean isWhole) {
            return new HttpAt(this, own(), address, isWhole);
        }

        @Override
        public synchronized HttpEndpoint acquire() {
            users++;
            return own();
        }

        @Override
        public synchronized void release() {
            users--;
            stopUnused();
        }

        private void stopUnused() {
            if (users == 0) {
                ServiceHelper.stopAndShutdownService(own);
                own = null;
            }
        }

        private synchronized DeliveringHttp own() {
            if (own == null) {
                own = new DeliveringHttp(this);
                ServiceHelper.startService(own);
            }
            return own;
        }

        /** Camel stops it also when another route no longer uses it. */
        @Override
        protected void doStop() throws Exception {
            synchronized (this) {
                stopUnused();
            }
            super.doStop();
        }
    }

    private static <T extends HttpClientBuilder> T copied(HttpClientBuilder client, T copy) {
        FieldCopy.copyWithLists(HttpClientBuilder.class, client, copy);
        return copy;
    }

    /**
     * Builds clients with all limits: that of an endpoint, and the one with which it requests its tokens of OAuth. Keeps what a user configures.
     */
    private final class Limited extends HttpClientBuilder {
        @Override
        public CloseableHttpClient build() {
            HttpClientBuilder client = copied(this, HttpClientBuilder.create());
            configure(client);
            return client.build();
        }
    }

    /**
     * A copy of an endpoint that sends messages only. It has its own client and connections, and keeps cookies only if a user has set a store for
     * them.
     */
    private final class DeliveringHttp extends HttpEndpoint {
        private final boolean sharesConnections;
        /** Null before {@link #createHttpClient}. */
        private HttpClient created;

        private DeliveringHttp(BothHttp both) {
            FieldCopy.copy(HttpEndpoint.class, both, this);
            setClientBuilder(copied(both.settings, new Limited()));
            if (!isOfUser(getCookieStore())) { // cookies would log in later messages, and their number has no limit
                getClientBuilder().disableCookieManagement();
            }
            if (both.created != null && getHttpClient() == both.created) {
                setHttpClient(null); // otherwise the user has set it
            }
            HttpClientConnectionManager connections = both.getClientConnectionManager();
            sharesConnections = both.getComponent() == null
                    || both.getComponent().getClientConnectionManager() == connections
                    || !(connections instanceof PoolingHttpClientConnectionManager);
            if (connections instanceof PoolingHttpClientConnectionManager pool) {
                setClientConnectionManager(
                        sharesConnections ? shared(pool, both.getCamelContext()) : LimitedConnections.as(pool));
            }
            setHttpClientConfigurer(OAuthTokens.in(getHttpClientConfigurer()));
            HttpHeaderRules.bind(this);
        }

        private boolean isOfUser(CookieStore cookies) {
            return cookies.getClass() != BasicCookieStore.class
                    || getCamelContext()
                            .getRegistry()
                            .findByType(CookieStore.class)
                            .contains(cookies);
        }

        @Override
        protected HttpClient createHttpClient() {
            getClientBuilder().setConnectionManagerShared(true);
            created = super.createHttpClient();
            return created;
        }

        /** Leaves open the connections that other endpoints use, and the services that the endpoint itself has started. */
        @Override
        protected void doStop() throws Exception {
            if (created instanceof AutoCloseable client) {
                client.close();
            }
            if (!sharesConnections) {
                getClientConnectionManager().close();
            }
        }
    }
}
