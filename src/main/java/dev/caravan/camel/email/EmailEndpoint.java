package dev.caravan.camel.email;

import dev.caravan.camel.MailAddress;
import dev.caravan.camel.MailLogin;
import dev.caravan.camel.guard.Send;
import dev.caravan.camel.step.Options;
import dev.caravan.camel.step.OwnEndpoint;
import dev.caravan.camel.step.PreparingProducer;
import dev.caravan.camel.step.PreparingProducer.Prepared;
import dev.caravan.camel.template.Format;
import dev.caravan.camel.template.TemplateSource;
import dev.caravan.camel.template.Templated;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
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
 * Sends an email for each message. The Message-ID is the message id with digits that tell its mails apart, so that email
 * programs show a repeat once. A recipient that is not one email address makes the message a dead letter.
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
public class EmailEndpoint extends DefaultEndpoint implements Templated {

    @UriPath(description = "A name of your choice for the mail. It is shown in errors.")
    @Metadata(required = true)
    private final String name;

    @UriParam
    private EmailConfiguration configuration;

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

    EmailEndpoint(String uri, EmailComponent component, String name, EmailConfiguration configuration) {
        super(uri, component);
        this.name = name;
        this.configuration = configuration;
    }

    @Override
    public Producer createProducer() throws Exception {
        Options.require(this, "server", "from", "to", "subject", html == null ? "text" : "html");
        Content content = content();
        String sender = sender();
        String step = String.join(" ", "email:" + name, to, subject, text, html);
        return new PreparingProducer(this, smtp(), exchange -> {
            Send send = new Send(exchange, step);
            return new Prepared(headers(content, sender, send, exchange), content.body(exchange), send);
        });
    }

    private Content content() {
        return new Content(
                template(to, Format.TEXT),
                template(subject, Format.TEXT),
                Optional.ofNullable(text).map(plain -> template(plain, Format.TEXT)),
                Optional.ofNullable(html).map(page -> template(page, Format.HTML)));
    }

    @Override
    public List<TemplateSource> templates() {
        return content().all().toList();
    }

    /** The sender with its domain in ASCII. It is the same for all messages, so an error is reported at the start. */
    private String sender() {
        String sender = configuration.getFrom();
        try {
            InternetAddress address = new InternetAddress(sender);
            if (address.isGroup()) {
                throw new AddressException("it is a group");
            }
            if (MailAddress.isNamedAsAddress(sender)) {
                throw new AddressException("a name with an @ must be in quotes");
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

    private TemplateSource template(String text, Format format) {
        return TemplateSource.of(text, format, getCamelContext());
    }

    private OwnEndpoint smtp() {
        String address = configuration.getServer();
        if (!address.startsWith("smtp://") && !address.startsWith("smtps://")) {
            throw new IllegalArgumentException("server must begin with smtp:// or smtps://");
        }
        return new OwnEndpoint(
                getCamelContext(),
                address + (address.contains("?") ? "&" : "?") + "connectionTimeout="
                        + configuration.getTimeout()
                        + "&contentType=" + (html == null ? "text/plain" : "text/html") + ";charset=UTF-8",
                "authenticator",
                () -> new MailLogin(
                        Objects.requireNonNullElse(configuration.getUser(), ""),
                        Objects.requireNonNullElse(configuration.getPassword(), "")));
    }

    private Map<String, Object> headers(Content content, String sender, Send send, Exchange exchange) throws Exception {
        Map<String, Object> headers = new HashMap<>();
        headers.put("To", MailAddress.one(content.to().text(exchange)));
        headers.put("From", sender);
        headers.put("Subject", content.subject().text(exchange));
        content.alternative(exchange).ifPresent(text -> headers.put(MailConstants.MAIL_ALTERNATIVE_BODY, text));
        if (send.id() != null) {
            headers.put("Message-ID", "<" + send.id() + "@" + domain(sender) + ">");
        }
        return headers;
    }

    private String domain(String sender) throws AddressException {
        String given = configuration.getMessageIdDomain();
        return given == null
                ? sender.substring(sender.lastIndexOf('@') + 1).replace(">", "").strip()
                : MailAddress.asciiDomain(given);
    }

    /** The templates of an email; {@code text} or {@code html} may be empty. */
    private record Content(
            TemplateSource to, TemplateSource subject, Optional<TemplateSource> text, Optional<TemplateSource> html) {
        String body(Exchange exchange) {
            return html.or(() -> text).orElseThrow().text(exchange);
        }

        /** The text beside HTML. */
        Optional<String> alternative(Exchange exchange) {
            return html.flatMap(beside -> text).map(plain -> plain.text(exchange));
        }

        Stream<TemplateSource> all() {
            return Stream.concat(Stream.of(to, subject), Stream.concat(text.stream(), html.stream()));
        }
    }

    @Override
    public Consumer createConsumer(Processor processor) {
        throw new UnsupportedOperationException("email: sends only. Camel's imap: reads a mailbox");
    }

    public String getName() {
        return name;
    }

    public EmailConfiguration getConfiguration() {
        return configuration;
    }

    public void setConfiguration(EmailConfiguration configuration) {
        this.configuration = configuration;
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
}
