package dev.caravan.camel.httpclient;

import dev.caravan.camel.step.FieldCopy;
import java.net.URI;
import java.util.Objects;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.PollingConsumer;
import org.apache.camel.Producer;
import org.apache.camel.component.http.HttpEndpoint;
import org.apache.camel.component.http.HttpPollingConsumer;

/** An address with the options and the client of an endpoint. Camel keeps a producer for each of the last 1000 addresses, by its endpoint. */
final class HttpAt extends HttpEndpoint {
    private final Shared shared;
    private final boolean isWhole;

    /** The endpoint with the options of several addresses. Its client is closed when no producer uses it. */
    interface Shared {
        /** The endpoint, with a client that is open until {@link #release}. */
        HttpEndpoint acquire();

        void release();
    }

    /** @param isWhole as for {@link dev.caravan.camel.step.ExactHttp#at} */
    HttpAt(Shared shared, HttpEndpoint options, URI address, boolean isWhole) {
        FieldCopy.copy(HttpEndpoint.class, options, this);
        this.shared = shared;
        this.isWhole = isWhole;
        setHttpClient(options.getHttpClient());
        setHttpUri(address);
        setEndpointUri(address.toString());
    }

    /** Camel would send path and query to an endpoint of its own if this was the key of one of HTTP. */
    @Override
    public String getEndpointKey() {
        return "exact:" + getEndpointUri();
    }

    @Override
    public Producer createProducer() {
        return new Sending();
    }

    /** Camel stops a producer also while it sends, and may use it once more. */
    private final class Sending extends DeliveringProducer {
        private boolean isOpen;

        private Sending() {
            super(HttpAt.this);
        }

        @Override
        public void process(Exchange exchange) throws Exception {
            setHttpClient(shared.acquire().getHttpClient());
            try {
                send(exchange);
            } finally {
                shared.release();
            }
        }

        private void send(Exchange exchange) throws Exception {
            if (isWhole && !getHttpUri().getRawPath().isEmpty()) {
                exchange.getIn().removeHeader(Exchange.HTTP_PATH);
            }
            if (isWhole && getHttpUri().getRawQuery() != null) {
                exchange.getIn().removeHeader(Exchange.HTTP_QUERY);
            }
            super.process(exchange);
            if (isWhole) {
                Message answer = exchange.getMessage();
                answer.removeHeader(Exchange.HTTP_PATH);
                answer.removeHeader(Exchange.HTTP_QUERY);
            }
        }

        @Override
        protected void doStart() throws Exception {
            super.doStart();
            shared.acquire();
            isOpen = true;
        }

        @Override
        protected void doStop() throws Exception {
            super.doStop();
            if (isOpen) {
                isOpen = false;
                shared.release();
            }
        }
    }

    @Override
    public PollingConsumer createPollingConsumer() {
        return new HttpPollingConsumer(this) {
            @Override
            protected void doStart() {
                setHttpClient(shared.acquire().getHttpClient());
            }

            @Override
            protected void doStop() {
                shared.release();
            }
        };
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HttpAt at
                && at.shared == shared
                && at.isWhole == isWhole
                && at.getEndpointUri().equals(getEndpointUri());
    }

    @Override
    public int hashCode() {
        return Objects.hash(System.identityHashCode(shared), getEndpointUri());
    }

    /** The client is that of the options. */
    @Override
    protected void doStop() {}
}
