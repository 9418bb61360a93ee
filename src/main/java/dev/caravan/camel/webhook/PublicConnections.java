package dev.caravan.camel.webhook;

import java.io.IOException;
import java.security.GeneralSecurityException;
import org.apache.camel.CamelContext;
import org.apache.camel.component.http.HttpComponent;
import org.apache.camel.support.jsse.SSLContextParameters;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.io.HttpClientConnectionManager;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;

/** Creates the connections of an endpoint that resolves host names with its own resolver. */
final class PublicConnections {
    private PublicConnections() {}

    /** With the TLS settings and limits of Camel's HTTP component. */
    static HttpClientConnectionManager create(CamelContext context, DnsResolver resolver) {
        HttpComponent http = context.getComponent("https", HttpComponent.class);
        var builder = PoolingHttpClientConnectionManagerBuilder.create()
                .setDnsResolver(resolver)
                .setMaxConnTotal(http.getMaxTotalConnections())
                .setMaxConnPerRoute(http.getConnectionsPerRoute());
        SSLContextParameters tls = tls(http, context);
        if (tls != null) {
            try {
                builder.setTlsSocketStrategy(
                        new DefaultClientTlsStrategy(tls.createSSLContext(context), http.getX509HostnameVerifier()));
            } catch (GeneralSecurityException | IOException e) {
                throw new IllegalArgumentException("the TLS settings of camel.component.https cannot be used", e);
            }
        }
        return builder.build();
    }

    private static SSLContextParameters tls(HttpComponent http, CamelContext context) {
        return http.getSslContextParameters() == null && http.isUseGlobalSslContextParameters()
                ? context.getSSLContextParameters()
                : http.getSslContextParameters();
    }
}
