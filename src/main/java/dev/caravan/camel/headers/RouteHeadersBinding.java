package dev.caravan.camel.headers;

import dev.caravan.camel.InvalidMailException;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.component.mail.MailBinding;
import org.apache.camel.component.mail.MailConfiguration;
import org.apache.camel.component.mail.MailEndpoint;

/**
 * Writes emails with headers from the route only. Camel's mail component copies every header of an exchange to the email, including
 * recipients, sender and content type, so that a row, or the answer to an earlier step, could add a {@code Bcc}.
 */
public final class RouteHeadersBinding extends MailBinding {
    /** More than a mail server takes. Camel and the mail library need time for the square of the length of recipients and subjects. */
    private static final int LONGEST = 100_000;

    private static final List<String> TRACE = List.of("traceparent", "tracestate");

    private RouteHeadersBinding(MailEndpoint endpoint, MailConfiguration options) {
        super(
                new NoControlHeaders(endpoint.getHeaderFilterStrategy()),
                endpoint.getContentTypeResolver(),
                options.isDecodeFilename(),
                options.isMapMailMessage(),
                options.isFailOnDuplicateFileAttachment(),
                options.getGenerateMissingAttachmentNames(),
                options.getHandleDuplicateAttachmentNames());
    }

    /**
     * Makes an endpoint use it, unless the route configures a binding. The endpoint sends to recipients that the route names only, and
     * not to the mailbox of its login.
     */
    public static void bind(MailEndpoint endpoint) {
        AddressLists.removeLogin(endpoint);
        if (endpoint.getBinding().getClass() == MailBinding.class) {
            endpoint.setBinding(new RouteHeadersBinding(endpoint, endpoint.getConfiguration()));
        }
    }

    @Override
    public void populateMailMessage(MailEndpoint endpoint, MimeMessage mail, Exchange exchange)
            throws MessagingException, IOException {
        Message in = exchange.getIn();
        Map<String, Object> all = in.getHeaders();
        Map<String, Object> ofTheRoute = ofTheRoute(exchange, all);
        requireShort(ofTheRoute);
        AddressLists.check(ofTheRoute, endpoint.getConfiguration());
        in.setHeaders(ofTheRoute);
        try {
            super.populateMailMessage(endpoint, mail, exchange);
        } finally {
            in.setHeaders(all);
        }
    }

    private static Map<String, Object> ofTheRoute(Exchange exchange, Map<String, Object> all) {
        Map<String, Object> kept = exchange.getContext()
                .getCamelContextExtension()
                .getHeadersMapFactory()
                .newMap();
        all.forEach((name, current) -> {
            boolean fromOutside =
                    ReservedNames.isOfTheOutbox(name) || TRACE.stream().anyMatch(name::equalsIgnoreCase);
            Object value = DescribingHeaders.isOfBody(name) && RowHeaders.isReceived(exchange, name, current)
                    ? null
                    : RowHeaders.own(exchange, name, current);
            if (!fromOutside && value != null && !RowHeaders.has(exchange, name, value)) {
                kept.put(name, ReservedNames.controls(name) ? value : onOneLine(value));
            }
        });
        return kept;
    }

    /** Other texts, such as a body beside HTML, are in headers that control Camel. */
    private static void requireShort(Map<String, Object> headers) throws InvalidMailException {
        for (Map.Entry<String, Object> header : headers.entrySet()) {
            Collection<?> values =
                    header.getValue() instanceof Collection<?> several ? several : List.of(header.getValue());
            if (!ReservedNames.controls(header.getKey())
                    && values.stream().anyMatch(value -> String.valueOf(value).length() > LONGEST)) {
                throw new InvalidMailException(
                        "A header of the mail, such as its subject or a list of recipients, has more" + " than "
                                + LONGEST + " characters");
            }
        }
    }

    /** Removes line breaks, because the text after a line break would become another header or the body of the mail. */
    private static Object onOneLine(Object value) {
        return value instanceof String text && (text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0)
                ? text.replace('\r', ' ').replace('\n', ' ')
                : value;
    }
}
