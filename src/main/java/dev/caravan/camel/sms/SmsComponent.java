package dev.caravan.camel.sms;

import dev.caravan.camel.step.NeededLibrary;
import dev.caravan.camel.step.Options;
import java.util.Map;
import org.apache.camel.Endpoint;
import org.apache.camel.spi.Metadata;
import org.apache.camel.spi.annotations.Component;
import org.apache.camel.support.DefaultComponent;

/** Sends messages as SMS. */
@Component("sms")
public class SmsComponent extends DefaultComponent {
    @Metadata(description = "Defaults of all endpoints.")
    private SmsConfiguration configuration = new SmsConfiguration();

    @Override
    protected Endpoint createEndpoint(String uri, String remaining, Map<String, Object> parameters) throws Exception {
        NeededLibrary.require("sms:", "org.apache.camel.component.http.HttpEndpoint", "org.apache.camel:camel-http");
        SmsConfiguration own = configuration.copy();
        own.setUrl(null);
        own.setUser(null);
        own.setPassword(null);
        SmsEndpoint endpoint = new SmsEndpoint(uri, this, remaining, own);
        Options.requireReadable(this, parameters);
        setProperties(endpoint, parameters);
        if (own.getUrl() == null) { // otherwise without the login, which belongs to the gateway of the component
            own.completeLogin(configuration);
        }
        return endpoint;
    }

    public SmsConfiguration getConfiguration() {
        return configuration;
    }

    public void setConfiguration(SmsConfiguration configuration) {
        this.configuration = configuration;
    }
}
