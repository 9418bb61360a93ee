package dev.caravan.camel.httpclient;

import dev.caravan.camel.step.FieldCopy;
import java.net.URI;
import java.util.Objects;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.Producer;
import org.apache.camel.component.http.HttpEndpoint;

/** An address with the options and the client of an endpoint. Camel keeps a producer for each address, by its endpoint. */
final class HttpAt extends HttpEndpoint {
    private final HttpEndpoint options;
    private final boolean isWhole;

    /** @param isWhole as for {@link dev.caravan.camel.step.ExactHttp#at} */
    HttpAt(HttpEndpoint options, URI address, boolean isWhole) {
        options.getHttpClient(); // creates it
        FieldCopy.copy(HttpEndpoint.class, options, this);
        this.options = options;
        this.isWhole = isWhole;
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
        return isWhole ? new WholeProducer() : new DeliveringProducer(this);
    }

    private final class WholeProducer extends DeliveringProducer {
        private WholeProducer() {
            super(HttpAt.this);
        }

        @Override
        public void process(Exchange exchange) throws Exception {
            if (!getHttpUri().getRawPath().isEmpty()) {
                exchange.getIn().removeHeader(Exchange.HTTP_PATH);
            }
            if (getHttpUri().getRawQuery() != null) {
                exchange.getIn().removeHeader(Exchange.HTTP_QUERY);
            }
            super.process(exchange);
            Message answer = exchange.getMessage();
            answer.removeHeader(Exchange.HTTP_PATH);
            answer.removeHeader(Exchange.HTTP_QUERY);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HttpAt at
                && at.options == options
                && at.isWhole == isWhole
                && at.getEndpointUri().equals(getEndpointUri());
    }

    @Override
    public int hashCode() {
        return Objects.hash(System.identityHashCode(options), getEndpointUri());
    }

    /** The client is that of the options. */
    @Override
    protected void doStop() {}
}
