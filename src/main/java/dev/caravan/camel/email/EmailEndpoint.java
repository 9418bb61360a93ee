package dev.caravan.camel.email;

import dev.caravan.camel.MailAddress;
import dev.caravan.camel.MailLogin;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.camel.step.Options;
import dev.caravan.camel.step.OwnEndpoint;
import dev.caravan.camel.step.PreparingProducer;
import dev.caravan.camel.step.PreparingProducer.Prepared;
import dev.caravan.camel.template.Format;
import dev.caravan.camel.template.TemplateSource;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import java.util.HashMap;
import java.util.Map;
import org.apache.camel.Category;
import org.apache.camel.Consumer;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.Producer;
import org.apache.camel.component.mail.MailConstants;
import org.apache.camel.spi.Metadata;
import org.apache.camel.spi.UriEndpoint;
import org.apache.camel.spi.UriParam;
import org.apache.camel.spi.UriPath;
import org.apache.camel.support.DefaultEndpoint;

/**
 * Sends an email for each message. The Message-ID is derived from the message id, so that email programs show a repeat once. A
 * recipient that is not one email address makes the message a dead letter.
 *
 * <p>Options that contain text are marked as secret: the YAML DSL wraps them in {@code RAW()}, so that their text is not changed. In
 * other options, {@code +}, {@code %} and {@code &} have a special meaning.
 */
@UriEndpoint(
        firstVersion = "0.2.0",
        scheme = "email",
        title = "Email",
        syntax = "email:name",
        producerOnly = true,
        category = {Category.MAIL})
public class EmailEndpoint extends DefaultEndpoint {

    @UriPath(description = "A name of your choice for the mail. It is shown in errors.")
    @Metadata(required = true)
    private final String name;

    @UriParam(secret = true, description = "The mail server: smtp://host:port, or smtps://host:port for TLS.")
    @Metadata(required = true)
    private String server;

    @UriParam(label = "security", secret = true, description = "The user name at the mail server; empty for none.")
    private String user;

    @UriParam(label = "security", secret = true, description = "The password of the user.")
    private String password;

    @UriParam(secret = true, description = "The address of the sender.")
    @Metadata(required = true)
    private String from;

    @UriParam(secret = true, description = "Template of the recipient, for example ${customer.email}.")
    @Metadata(required = true)
    private String to;

    @UriParam(secret = true, description = "Template of the subject. Line breaks in values become spaces.")
    @Metadata(required = true)
    private String subject;

    @UriParam(secret = true, description = "Template of the plain text, or file:NAME in the routes folder.")
    private String text;

    @UriParam(
            secret = true,
            description = "Template of the HTML, or file:NAME in the routes folder. Values are escaped.")
    private String html;

    @UriParam(description = "The domain after the @ of the Message-ID. Default: that of the sender.")
    private String messageIdDomain;

    @UriParam(
            defaultValue = "10s",
            javaType = "java.time.Duration",
            description = "Timeout for connecting to the mail server, and for each of its answers.")
    private long timeout = 10_000;

    EmailEndpoint(String uri, EmailComponent component, String name) {
        super(uri, component);
        this.name = name;
    }

    @Override
    public Producer createProducer() throws Exception {
        Content content = new Content(
                template("to", to),
                template("subject", subject),
                text == null ? null : template("text", text),
                html == null
                        ? null
                        : TemplateSource.of(Options.required("html", html), Format.HTML, getCamelContext()));
        if (text == null && html == null) {
            throw new IllegalArgumentException("the option text or html is missing");
        }
        String sender = sender();
        return new PreparingProducer(
                this, smtp(), exchange -> new Prepared(headers(content, sender, exchange), content.body(exchange)));
    }

    /** The sender with its domain in ASCII. It is the same for all messages, so an error is reported at the start. */
    private String sender() {
        String sender = Options.required("from", from);
        try {
            InternetAddress address = new InternetAddress(sender);
            if (address.isGroup()) {
                throw new AddressException("it is a group");
            }
            int begin = sender.lastIndexOf(address.getAddress());
            return begin < 0
                    ? sender
                    : sender.substring(0, begin)
                            + MailAddress.withAsciiDomain(address.getAddress())
                            + sender.substring(begin + address.getAddress().length());
        } catch (AddressException e) {
            throw new IllegalArgumentException("from must be one mail address: " + e.getMessage());
        }
    }

    private TemplateSource template(String option, String value) {
        return TemplateSource.of(Options.required(option, value), Format.TEXT, getCamelContext());
    }

    private OwnEndpoint smtp() {
        String address = Options.required("server", server);
        if (!address.startsWith("smtp://") && !address.startsWith("smtps://")) {
            throw new IllegalArgumentException("server must begin with smtp:// or smtps://");
        }
        return new OwnEndpoint(
                getCamelContext(),
                () -> new MailLogin(user == null ? "" : user, password == null ? "" : password),
                login -> address + (address.contains("?") ? "&" : "?") + "connectionTimeout=" + timeout
                        + "&contentType=" + (html == null ? "text/plain" : "text/html") + ";charset=UTF-8"
                        + "&authenticator=" + login);
    }

    private Map<String, Object> headers(Content content, String sender, Exchange exchange) throws Exception {
        Map<String, Object> headers = new HashMap<>();
        headers.put("To", MailAddress.one(content.to().template().text(exchange)));
        headers.put("From", sender);
        headers.put("Subject", content.subject().template().text(exchange));
        if (html != null && text != null) {
            headers.put(
                    MailConstants.MAIL_ALTERNATIVE_BODY,
                    content.text().template().text(exchange));
        }
        Object id = exchange.getMessage().getHeader(OutboxConstants.ID);
        if (id != null) {
            headers.put("Message-ID", "<" + id + "@" + domain(sender) + ">");
        }
        return headers;
    }

    private String domain(String sender) throws AddressException {
        return messageIdDomain == null
                ? sender.substring(sender.lastIndexOf('@') + 1).replace(">", "").strip()
                : MailAddress.asciiDomain(messageIdDomain);
    }

    /** The templates of an email; {@code text} or {@code html} may be null. */
    private record Content(TemplateSource to, TemplateSource subject, TemplateSource text, TemplateSource html) {
        String body(Exchange exchange) {
            return (html == null ? text : html).template().text(exchange);
        }
    }

    @Override
    public Consumer createConsumer(Processor processor) {
        throw new UnsupportedOperationException("email: sends only. Camel's imap: reads a mailbox");
    }

    public String getName() {
        return name;
    }

    public String getServer() {
        return server;
    }

    public void setServer(String server) {
        this.server = server;
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

    public String getSubject() {
        return subject;
    }

    public void setSubject(String subject) {
        this.subject = subject;
    }

    public String getText() {
        return text;
    }

    public void setText(String text) {
        this.text = text;
    }

    public String getHtml() {
        return html;
    }

    public void setHtml(String html) {
        this.html = html;
    }

    public String getMessageIdDomain() {
        return messageIdDomain;
    }

    public void setMessageIdDomain(String messageIdDomain) {
        this.messageIdDomain = messageIdDomain;
    }

    public long getTimeout() {
        return timeout;
    }

    public void setTimeout(long timeout) {
        this.timeout = timeout;
    }
}
