package dev.caravan.camel.headers;

import java.util.Objects;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;

/**
 * The character set of an answer. It says how to read the answer, but not how to send a text: a character set such as ISO-8859-1 would replace
 * characters of the message by question marks.
 */
public final class AnswerCharset {
    private static final String PROPERTY = "CamelOutboxAnswerCharset";
    private static final String CONTENT_TYPE = "Content-Type";
    private static final Pattern PARAMETER = Pattern.compile("\\s*;\\s*charset\\s*=[^;]*", Pattern.CASE_INSENSITIVE);

    private AnswerCharset() {}

    /** Records after a step that its answer has set the character set. */
    public static void receive(Exchange exchange, Object before) {
        Object now = exchange.getProperty(ExchangePropertyKey.CHARSET_NAME);
        if (!Objects.equals(before, now)) {
            exchange.setProperty(PROPERTY, now);
        }
    }

    /** Whether the route, and no answer, has set the character set. */
    public static boolean isOfTheRoute(Exchange exchange) {
        Object charset = exchange.getProperty(ExchangePropertyKey.CHARSET_NAME);
        return charset != null && !charset.equals(exchange.getProperty(PROPERTY));
    }

    /** Before a text is sent, removes the character set and the encoding of an answer. An answer that is sent on as bytes keeps it. */
    public static void forget(Exchange exchange) {
        if (!(exchange.getIn().getBody() instanceof String)) {
            return;
        }
        if (exchange.getProperty(ExchangePropertyKey.CHARSET_NAME) != null && !isOfTheRoute(exchange)) {
            exchange.removeProperty(ExchangePropertyKey.CHARSET_NAME);
        }
        Object encoding = exchange.getIn().getHeader(Exchange.CONTENT_ENCODING);
        if (encoding != null && RowHeaders.isReceived(exchange, Exchange.CONTENT_ENCODING, encoding)) {
            exchange.getIn().removeHeader(Exchange.CONTENT_ENCODING); // no encoding of a text
        }
        Object type = exchange.getIn().getHeader(CONTENT_TYPE);
        if (type != null && RowHeaders.isReceived(exchange, CONTENT_TYPE, type)) {
            exchange.getIn().setHeader(CONTENT_TYPE, without(exchange.getIn().getHeader(CONTENT_TYPE, String.class)));
        }
    }

    /** A content type without its character set. */
    public static String without(String contentType) {
        return PARAMETER.matcher(contentType).replaceAll("");
    }
}
