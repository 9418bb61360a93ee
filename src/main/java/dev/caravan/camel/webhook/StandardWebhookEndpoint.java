package dev.caravan.camel.webhook;

import dev.caravan.base.settings.WatchedFile;
import dev.caravan.camel.guard.Send;
import dev.caravan.camel.step.HttpAddress;
import dev.caravan.camel.step.Options;
import dev.caravan.camel.step.OwnEndpoint;
import dev.caravan.camel.step.PreparingProducer;
import dev.caravan.camel.step.PreparingProducer.Prepared;
import dev.caravan.camel.step.SentBody;
import java.io.IOException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.camel.CamelContext;
import org.apache.camel.Category;
import org.apache.camel.Consumer;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.Producer;
import org.apache.camel.component.http.HttpComponent;
import org.apache.camel.component.http.HttpConstants;
import org.apache.camel.spi.Metadata;
import org.apache.camel.spi.UriEndpoint;
import org.apache.camel.spi.UriParam;
import org.apache.camel.spi.UriPath;
import org.apache.camel.support.DefaultEndpoint;
import org.apache.camel.support.jsse.SSLContextParameters;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.io.HttpClientConnectionManager;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;

/**
 * Sends each message as a POST request that is signed as Standard Webhooks defines it. The header {@code webhook-id} is the message
 * id, for parts of a message and further sends to the URL with further digits. It is the same on every attempt. Redirects are not
 * followed.
 *
 * <p>Options that contain text are marked as secret: the YAML DSL wraps them in {@code RAW()}, so that their text is not changed. In
 * other options, {@code +}, {@code %} and {@code &} have a special meaning.
 */
@UriEndpoint(
        firstVersion = "0.2.0",
        scheme = "standard-webhook",
        title = "Standard Webhook",
        syntax = "standard-webhook:name",
        producerOnly = true,
        category = {Category.HTTP})
public class StandardWebhookEndpoint extends DefaultEndpoint {
    private static final String FILE = "file:";

    @UriPath(description = "A name of your choice for the receiver. It is shown in errors.")
    @Metadata(required = true)
    private final String name;

    @UriParam(secret = true, description = "The URL of the receiver. It must have a public address.")
    @Metadata(required = true)
    private String url;

    @UriParam(
            label = "security",
            secret = true,
            description = "The secret, whsec_ and 24 to 64 bytes in Base64. Several, separated by spaces, while one is"
                    + " replaced: each request is signed with all. file:PATH reads them from a file, and again"
                    + " when it changes.")
    @Metadata(required = true)
    private String secrets;

    @UriParam
    private StandardWebhookConfiguration configuration;

    @UriParam(
            description = "The header Content-Type, if the message has none. Default: application/json for text,"
                    + " application/octet-stream for bytes.")
    private String contentType;

    StandardWebhookEndpoint(
            String uri, StandardWebhookComponent component, String name, StandardWebhookConfiguration configuration) {
        super(uri, component);
        this.name = name;
        this.configuration = configuration;
    }

    @Override
    public Producer createProducer() throws Exception {
        Options.require(this, "url", "secrets");
        HttpAddress address = HttpAddress.parse(url);
        requireAllowed(address.url().getHost());
        Supplier<WebhookSecrets> keys = keys(secrets);
        StandardWebhookComponent component = (StandardWebhookComponent) getComponent();
        String step = "standard-webhook " + url;
        PreparingProducer.Preparation request = exchange -> {
            Send send = new Send(exchange, step);
            String id = send.eventId();
            if (id == null) {
                throw new IllegalStateException("The message has no header id, which becomes the webhook-id");
            }
            Object given = exchange.getIn().getBody();
            byte[] body = given == null ? new byte[0] : SentBody.bytes(exchange, given);
            long timestamp = component.clock().now().getEpochSecond();
            Map<String, Object> headers = address.headers();
            headers.put("webhook-id", id);
            headers.put("webhook-timestamp", Long.toString(timestamp));
            headers.put("webhook-signature", keys.get().signatures(id, timestamp, body));
            headers.put(HttpConstants.CONTENT_TYPE, type(exchange));
            Object encoding = exchange.getIn().getHeader(HttpConstants.CONTENT_ENCODING);
            if (encoding != null) {
                headers.put(HttpConstants.CONTENT_ENCODING, encoding);
            }
            return new Prepared(headers, body, send);
        };
        String timeouts = "connectTimeout=" + configuration.getConnectTimeout() + "&responseTimeout="
                + configuration.getResponseTimeout();
        return configuration.isAllowPrivateAddresses()
                ? new PreparingProducer(this, getCamelContext().getEndpoint(address.endpoint(timeouts)), request)
                : new PreparingProducer(this, toPublicAddresses(address, timeouts, component), request);
    }

    private PublicAddresses publicAddresses(URI receiver, StandardWebhookComponent component) {
        return new PublicAddresses(
                component.resolver(), proxy(receiver).filter(proxy -> !proxy.equalsIgnoreCase(receiver.getHost())));
    }

    /** The proxy that the settings of Camel's HTTP component name; it finds the address of the receiver itself. */
    private Optional<String> proxy(URI receiver) {
        HttpComponent http = getCamelContext().getComponent(receiver.getScheme(), HttpComponent.class);
        return Optional.ofNullable(http.getProxyHost()).or(() -> Optional.of(receiver.getScheme() + ".proxyHost")
                .filter(name -> http.isUseSystemProperties())
                .map(System::getProperty));
    }

    private OwnEndpoint toPublicAddresses(HttpAddress address, String timeouts, StandardWebhookComponent component) {
        return new OwnEndpoint(
                getCamelContext(),
                address.endpoint(timeouts),
                "clientConnectionManager",
                () -> connections(getCamelContext(), publicAddresses(address.url(), component)));
    }

    /** Connections that look up hosts with their own resolver, with the TLS settings and limits of Camel's HTTP component. */
    private static HttpClientConnectionManager connections(CamelContext context, DnsResolver resolver) {
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

    private Supplier<WebhookSecrets> keys(String text) {
        if (text.startsWith(FILE)) {
            Path file = Path.of(text.substring(FILE.length()));
            return new WatchedFile<>(file, WebhookSecrets::parse, ((StandardWebhookComponent) getComponent()).clock());
        }
        WebhookSecrets keys = WebhookSecrets.parse(text);
        return () -> keys;
    }

    /** Refuses a host at the start of the route if each attempt would be refused. */
    private void requireAllowed(String host) {
        if (!configuration.isAllowPrivateAddresses() && PublicAddresses.isKnownPrivate(host)) {
            throw new IllegalArgumentException(PublicAddresses.refusal(host));
        }
    }

    /**
     * Why each attempt would be refused with the addresses that the receiver has now; empty if it would not, if its host is unknown, or if a proxy
     * looks it up. Asks the name server.
     */
    public Optional<String> refusal() {
        if (configuration.isAllowPrivateAddresses()) {
            return Optional.empty();
        }
        URI receiver = HttpAddress.parse(url).url();
        String host = receiver.getHost();
        if (proxy(receiver).isPresent()) {
            return Optional.empty();
        }
        try {
            publicAddresses(receiver, (StandardWebhookComponent) getComponent()).resolve(host);
            return Optional.empty();
        } catch (UnknownHostException e) {
            return Optional.of(e.getMessage()).filter(PublicAddresses.refusal(host)::equals);
        }
    }

    private String type(Exchange exchange) {
        String given = exchange.getIn().getHeader(HttpConstants.CONTENT_TYPE, String.class);
        if (given != null) {
            return given;
        } else if (contentType != null) {
            return contentType;
        }
        return exchange.getIn().getBody() instanceof byte[] ? "application/octet-stream" : "application/json";
    }

    @Override
    public Consumer createConsumer(Processor processor) {
        throw new UnsupportedOperationException("standard-webhook: sends only. A route cannot read from it");
    }

    @Override
    public boolean isSingleton() {
        return true;
    }

    public String getName() {
        return name;
    }

    public String getUrl() {
        return url;
    }

    public void setUrl(String url) {
        this.url = url;
    }

    public String getSecrets() {
        return secrets;
    }

    public void setSecrets(String secrets) {
        this.secrets = secrets;
    }

    public StandardWebhookConfiguration getConfiguration() {
        return configuration;
    }

    public void setConfiguration(StandardWebhookConfiguration configuration) {
        this.configuration = configuration;
    }

    public String getContentType() {
        return contentType;
    }

    public void setContentType(String contentType) {
        this.contentType = contentType;
    }
}
