package dev.caravan.camel.headers;

import org.apache.camel.Endpoint;
import org.apache.camel.component.http.HttpEndpoint;
import org.apache.camel.component.kafka.KafkaEndpoint;
import org.apache.camel.component.mail.MailEndpoint;
import org.apache.camel.spi.EndpointStrategy;
import org.apache.camel.spi.HeaderFilterStrategy;
import org.apache.camel.spi.HeaderFilterStrategyAware;

/** Sets the header filter of each endpoint, regardless of its options. */
public final class OutgoingHeaders implements EndpointStrategy {
    /** Whether a filter of an endpoint decides by the name of a header alone, so that its decisions can be cached. */
    public static boolean dependOnNamesOnly(HeaderFilterStrategy filter) {
        return filter instanceof NoControlHeaders own && own.dependsOnNamesOnly();
    }

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
