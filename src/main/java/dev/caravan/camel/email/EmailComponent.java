package dev.caravan.camel.email;

import dev.caravan.camel.step.NeededLibrary;
import dev.caravan.camel.step.Options;
import java.util.Map;
import org.apache.camel.Endpoint;
import org.apache.camel.spi.Metadata;
import org.apache.camel.spi.annotations.Component;
import org.apache.camel.support.DefaultComponent;

/** Sends messages as emails. */
@Component("email")
public class EmailComponent extends DefaultComponent {
    @Metadata(description = "Defaults of all endpoints.")
    private EmailConfiguration configuration = new EmailConfiguration();

    @Override
    protected Endpoint createEndpoint(String uri, String remaining, Map<String, Object> parameters) throws Exception {
        NeededLibrary.require("email:", "org.apache.camel.component.mail.MailEndpoint", "org.apache.camel:camel-mail");
        EmailConfiguration own = configuration.copy();
        own.setServer(null);
        own.setUser(null);
        own.setPassword(null);
        EmailEndpoint endpoint = new EmailEndpoint(uri, this, remaining, own);
        Options.requireReadable(this, parameters);
        setProperties(endpoint, parameters);
        if (own.getServer() == null) { // otherwise without the login, which belongs to the mail server of the component
            own.completeLogin(configuration);
        }
        return endpoint;
    }

    public EmailConfiguration getConfiguration() {
        return configuration;
    }

    public void setConfiguration(EmailConfiguration configuration) {
        this.configuration = configuration;
    }
}
