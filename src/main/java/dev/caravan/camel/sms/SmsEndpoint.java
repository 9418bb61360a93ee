package dev.caravan.camel.sms;

import dev.caravan.camel.PhoneNumber;
import dev.caravan.camel.guard.Send;
import dev.caravan.camel.step.HttpAddress;
import dev.caravan.camel.step.Options;
import dev.caravan.camel.step.PreparingProducer;
import dev.caravan.camel.step.PreparingProducer.Prepared;
import dev.caravan.camel.template.Format;
import dev.caravan.camel.template.TemplateSource;
import dev.caravan.camel.template.Templated;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.camel.Category;
import org.apache.camel.Consumer;
import org.apache.camel.Endpoint;
import org.apache.camel.Processor;
import org.apache.camel.Producer;
import org.apache.camel.component.http.HttpConstants;
import org.apache.camel.spi.Metadata;
import org.apache.camel.spi.UriEndpoint;
import org.apache.camel.spi.UriParam;
import org.apache.camel.spi.UriPath;
import org.apache.camel.support.DefaultEndpoint;

/**
 * Sends an SMS for each message with Twilio's Messages API or a compatible gateway. Idempotency-Key is the message id with digits
 * that tell its sends apart. A recipient that is not one phone number makes the message a dead letter.
 *
 * <p>Options that contain text are marked as secret: the YAML DSL wraps them in {@code RAW()}, so that their text is not changed. In
 * other options, {@code +}, {@code %} and {@code &} have a special meaning.
 */
@UriEndpoint(
        firstVersion = "0.2.0",
        scheme = "sms",
        title = "SMS",
        syntax = "sms:name",
        producerOnly = true,
        category = {Category.MOBILE})
public class SmsEndpoint extends DefaultEndpoint implements Templated {
    @UriPath(description = "A name of your choice for the gateway. It is shown in errors.")
    @Metadata(required = true)
    private final String name;

    @UriParam
    private SmsConfiguration configuration;

    @UriParam(secret = true, description = "Template of the recipient, for example ${customer.phone}.")
    @Metadata(required = true)
    private String to;

    @UriParam(secret = true, description = "Template of the text, or file:NAME in the routes folder.")
    @Metadata(required = true)
    private String text;

    SmsEndpoint(String uri, SmsComponent component, String name, SmsConfiguration configuration) {
        super(uri, component);
        this.name = name;
        this.configuration = configuration;
    }

    @Override
    public Producer createProducer() throws Exception {
        Options.require(this, "url", "from", "to", "text");
        HttpAddress address = HttpAddress.parse(configuration.getUrl());
        String sender = configuration.getFrom();
        TemplateSource recipient = template(to);
        TemplateSource content = template(text);
        Endpoint http = getCamelContext()
                .getEndpoint(address.endpoint("connectTimeout=" + configuration.getConnectTimeout()
                        + "&responseTimeout=" + configuration.getResponseTimeout()));
        String step = String.join(" ", "sms:" + name, to, text);
        return new PreparingProducer(this, http, exchange -> {
            String number = PhoneNumber.one(recipient.text(exchange));
            String form = form(number, sender, content.text(exchange));
            Send send = new Send(exchange, step);
            return new Prepared(headers(address, send), form, send);
        });
    }

    @Override
    public List<TemplateSource> templates() {
        return List.of(template(to), template(text));
    }

    private TemplateSource template(String option) {
        return TemplateSource.of(option, Format.TEXT, getCamelContext());
    }

    /** The form for Twilio's Messages.json. Camel has no form encoding. */
    private static String form(String to, String from, String text) {
        return "To=" + encoded(to) + "&From=" + encoded(from) + "&Body=" + encoded(text);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private Map<String, Object> headers(HttpAddress address, Send send) {
        Map<String, Object> headers = address.headers();
        headers.put(HttpConstants.CONTENT_TYPE, "application/x-www-form-urlencoded");
        if (send.id() != null) {
            headers.put("Idempotency-Key", send.id());
        }
        String user = configuration.getUser();
        if (user != null && !user.isEmpty()) {
            String login = user + ":" + Objects.requireNonNullElse(configuration.getPassword(), "");
            headers.put(
                    "Authorization",
                    "Basic " + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8)));
        }
        return headers;
    }

    @Override
    public Consumer createConsumer(Processor processor) {
        throw new UnsupportedOperationException("sms: sends only. A route cannot read from it");
    }

    public String getName() {
        return name;
    }

    public SmsConfiguration getConfiguration() {
        return configuration;
    }

    public void setConfiguration(SmsConfiguration configuration) {
        this.configuration = configuration;
    }

    public String getTo() {
        return to;
    }

    public void setTo(String to) {
        this.to = to;
    }

    public String getText() {
        return text;
    }

    public void setText(String text) {
        this.text = text;
    }
}
