package dev.caravan.camel.httpclient;

import dev.caravan.camel.step.FieldCopy;
import java.net.URI;
import java.util.Objects;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.Message;
import org.apache.camel.PollingConsumer;
import org.apache.camel.Producer;
import org.apache.camel.component.http.HttpEndpoint;
import org.apache.camel.component.http.HttpPollingConsumer;
import org.apache.camel.support.DefaultProducer;

/** An address with the options and the client of an endpoint. */
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
    private final class Sending extends DefaultProducer {
        private final DeliveringProducer delivering = new DeliveringProducer(HttpAt.this);
        private boolean isOpen;

        private Sending() {
            super(HttpAt.this);
        }

        @Override
        public void process(Exchange exchange) throws Exception {
            HttpEndpoint options = shared.acquire();
            try {
                if (isWhole) {
                    sendWhole(exchange, options);
                } else {
                    delivering.setHttpClient(options.getHttpClient());
                    delivering.process(exchange);
                }
            } finally {
                shared.release();
            }
        }

        private void sendWhole(Exchange exchange, HttpEndpoint options) throws Exception {
            URI address = URI.create(exchange.getProperty(ExchangePropertyKey.TO_ENDPOINT, String.class));
            if (!address.getRawPath().isEmpty()) {
                exchange.getIn().removeHeader(Exchange.HTTP_PATH);
            }
            if (address.getRawQuery() != null) {
                exchange.getIn().removeHeader(Exchange.HTTP_QUERY);
            }
            DeliveringProducer once = new DeliveringProducer(new HttpAt(shared, options, address, true));
            once.start();
            once.process(exchange);
            Message answer = exchange.getMessage();
            answer.removeHeader(Exchange.HTTP_PATH);
            answer.removeHeader(Exchange.HTTP_QUERY);
        }

        @Override
        protected void doStart() throws Exception {
            super.doStart();
            delivering.start();
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

    /**
     * Camel keeps a producer for each endpoint that is not equal to another one, and each new one takes time with the number of those that it has.
     * A step whose address is whole has one for a host: it writes the address into the exchange and sends at once. Other steps run code of the
     * user in between, which may send elsewhere.
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof HttpAt at
                && at.shared == shared
                && at.isWhole == isWhole
                && (isWhole || at.getEndpointUri().equals(getEndpointUri()));
    }

    @Override
    public int hashCode() {
        return isWhole
                ? System.identityHashCode(shared)
                : Objects.hash(System.identityHashCode(shared), getEndpointUri());
    }

    /** The client is that of the options. */
    @Override
    protected void doStop() {}
}
