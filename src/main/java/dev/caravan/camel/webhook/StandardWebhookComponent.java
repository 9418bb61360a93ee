package dev.caravan.camel.webhook;

import dev.caravan.base.clock.Clock;
import dev.caravan.camel.step.NeededLibrary;
import dev.caravan.camel.step.Options;
import java.util.Map;
import org.apache.camel.Endpoint;
import org.apache.camel.spi.Metadata;
import org.apache.camel.spi.annotations.Component;
import org.apache.camel.support.DefaultComponent;
import org.apache.hc.client5.http.DnsResolver;

/** Sends messages as signed webhooks. */
@Component("standard-webhook")
public class StandardWebhookComponent extends DefaultComponent {
    @Metadata(description = "Defaults of all endpoints.")
    private StandardWebhookConfiguration configuration = new StandardWebhookConfiguration();

    private Clock clock = Clock.SYSTEM;
    /** Null: that of the machine. With its class here, Java could not load this one without the HTTP client. */
    private DnsResolver resolver;

    @Override
    protected Endpoint createEndpoint(String uri, String remaining, Map<String, Object> parameters) throws Exception {
        NeededLibrary.require(
                "standard-webhook:", "org.apache.camel.component.http.HttpEndpoint", "org.apache.camel:camel-http");
        StandardWebhookEndpoint endpoint = new StandardWebhookEndpoint(uri, this, remaining, configuration.copy());
        Options.requireReadable(this, parameters);
        setProperties(endpoint, parameters);
        return endpoint;
    }

    Clock clock() {
        return clock;
    }

    /** Null: that of the machine. */
    DnsResolver resolver() {
        return resolver;
    }

    /** Sets the clock of the timestamps and the source of addresses. Call it before a route starts. */
    void use(Clock newClock, DnsResolver newResolver) {
        clock = newClock;
        resolver = newResolver;
    }

    public StandardWebhookConfiguration getConfiguration() {
        return configuration;
    }

    public void setConfiguration(StandardWebhookConfiguration configuration) {
        this.configuration = configuration;
    }
}
