package dev.caravan.camel.sms;

import dev.caravan.camel.PhoneNumber;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.camel.step.HttpAddress;
import dev.caravan.camel.step.Options;
import dev.caravan.camel.step.PreparingProducer;
import dev.caravan.camel.step.PreparingProducer.Prepared;
import dev.caravan.camel.template.Format;
import dev.caravan.camel.template.TemplateSource;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import org.apache.camel.Category;
import org.apache.camel.Consumer;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.Producer;
import org.apache.camel.component.http.HttpConstants;
import org.apache.camel.spi.Metadata;
import org.apache.camel.spi.UriEndpoint;
import org.apache.camel.spi.UriParam;
import org.apache.camel.spi.UriPath;
import org.apache.camel.support.DefaultEndpoint;

/**
 * Sends an SMS for each message with Twilio's Messages API or a compatible gateway. The message id is sent as Idempotency-Key. A
 * recipient that is not one phone number makes the message a dead letter.
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
public class SmsEndpoint extends DefaultEndpoint {
    @UriPath(description = "A name of your choice for the gateway. It is shown in errors.")
    @Metadata(required = true)
    private final String name;

    @UriParam(secret = true, description = "The URL of Messages.json at the gateway.")
    @Metadata(required = true)
    private String url;

    @UriParam(label = "security", secret = true, description = "The user for Basic authentication; empty for none.")
    private String user;

    @UriParam(label = "security", secret = true, description = "The password for Basic authentication.")
    private String password;

    @UriParam(secret = true, description = "The number of the sender in international form.")
    @Metadata(required = true)
    private String from;

    @UriParam(secret = true, description = "Template of the recipient, for example ${customer.phone}.")
    @Metadata(required = true)
    private String to;

    @UriParam(secret = true, description = "Template of the text, or file:NAME in the routes folder.")
    @Metadata(required = true)
    private String text;

    @UriParam(defaultValue = "5s", javaType = "java.time.Duration", description = "Timeout for connecting.")
    private long connectTimeout = 5_000;

    @UriParam(
            defaultValue = "10s",
            javaType = "java.time.Duration",
            description = "Timeout for the answer. A timeout causes a repeat.")
    private long responseTimeout = 10_000;

    SmsEndpoint(String uri, SmsComponent component, String name) {
        super(uri, component);
        this.name = name;
    }

    @Override
    public Producer createProducer() throws Exception {
        HttpAddress address = HttpAddress.parse(Options.required("url", url));
        String sender = Options.required("from", from);
        TemplateSource recipient = TemplateSource.of(Options.required("to", to), Format.TEXT, getCamelContext());
        TemplateSource content = TemplateSource.of(Options.required("text", text), Format.TEXT, getCamelContext());
        Endpoint http = getCamelContext()
                .getEndpoint(
                        address.endpoint("connectTimeout=" + connectTimeout + "&responseTimeout=" + responseTimeout));
        return new PreparingProducer(this, http, exchange -> {
            String number = PhoneNumber.one(recipient.template().text(exchange));
            String form = form(number, sender, content.template().text(exchange));
            return new Prepared(headers(address, exchange), form);
        });
    }

    /** The form for Twilio's Messages.json. Camel has no form encoding. */
    private static String form(String to, String from, String text) {
        return "To=" + encoded(to) + "&From=" + encoded(from) + "&Body=" + encoded(text);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private Map<String, Object> headers(HttpAddress address, Exchange exchange) {
        Map<String, Object> headers = address.headers();
        headers.put(HttpConstants.CONTENT_TYPE, "application/x-www-form-urlencoded");
        Object id = exchange.getMessage().getHeader(OutboxConstants.ID);
        if (id != null) {
            headers.put("Idempotency-Key", id);
        }
        if (user != null && !user.isEmpty()) {
            String login = user + ":" + (password == null ? "" : password);
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

    public String getUrl() {
        return url;
    }

    public void setUrl(String url) {
        this.url = url;
    }

    public String getUser() {
        return user;
    }

    public void setUser(String user) {
        this.user = user;
    }

    public String getPassword() {
        return password;
    }

    public void setPassword(String password) {
        this.password = password;
    }

    public String getFrom() {
        return from;
    }

    public void setFrom(String from) {
        this.from = from;
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

    public long getConnectTimeout() {
        return connectTimeout;
    }

    public void setConnectTimeout(long connectTimeout) {
        this.connectTimeout = connectTimeout;
    }

    public long getResponseTimeout() {
        return responseTimeout;
    }

    public void setResponseTimeout(long responseTimeout) {
        this.responseTimeout = responseTimeout;
    }
}
