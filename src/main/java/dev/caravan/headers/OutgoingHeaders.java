package dev.caravan.headers;

import org.apache.camel.Endpoint;
import org.apache.camel.component.http.HttpEndpoint;
import org.apache.camel.component.kafka.KafkaEndpoint;
import org.apache.camel.component.mail.MailEndpoint;
import org.apache.camel.spi.EndpointStrategy;
import org.apache.camel.spi.HeaderFilterStrategyAware;

/** Sets the header filter of each endpoint, regardless of its options. */
public final class OutgoingHeaders implements EndpointStrategy {
    @Override
    public Endpoint registerEndpoint(String uri, Endpoint endpoint) {
        if (endpoint instanceof MailEndpoint mail) {
            RouteHeadersBinding.bind(mail);
        } else if (endpoint instanceof HttpEndpoint http) {
            HttpHeaderRules.bind(http);
        } else if (endpoint instanceof KafkaEndpoint kafka) {
            filter(kafka.getConfiguration());
        } else if (endpoint instanceof HeaderFilterStrategyAware aware) {
            filter(aware);
        }
        return endpoint;
    }

    private static void filter(HeaderFilterStrategyAware aware) {
        aware.setHeaderFilterStrategy(new NoControlHeaders(aware.getHeaderFilterStrategy()));
    }
}
