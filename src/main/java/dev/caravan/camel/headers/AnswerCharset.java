package dev.caravan.camel.headers;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.caravan.camel.step.SentBody;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.util.Arrays;
import java.util.Objects;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.StreamCache;

/**
 * The character set of an answer. It says how to read the answer, but not how to send a text: a character set such as ISO-8859-1 would replace
 * characters of the message by question marks.
 */
public final class AnswerCharset {
    private static final String PROPERTY = "CamelOutboxAnswerCharset";
    private static final String CONTENT_TYPE = "Content-Type";
    /** Readers of XML use the character set that is written in it. */
    private static final Pattern JSON =
            Pattern.compile("\\s*(application|text)/([^;\\s]+\\+)?json\\s*(;.*)?", Pattern.CASE_INSENSITIVE);

    /** A byte order mark. */
    private static final byte[] MARK = "\uFEFF".getBytes(UTF_8);

    private static final Pattern PARAMETER = Pattern.compile("\\s*;\\s*charset\\s*=[^;]*", Pattern.CASE_INSENSITIVE);

    private AnswerCharset() {}

    /** The character set before a step, as an object of its own: an answer may set the same one. */
    public static Object before(Exchange exchange) {
        Object charset = exchange.getProperty(ExchangePropertyKey.CHARSET_NAME);
        if (charset instanceof String name && !isOfTheRoute(exchange)) {
            charset = new String(name);
            exchange.setProperty(ExchangePropertyKey.CHARSET_NAME, charset);
        }
        return charset;
    }

    /** Sets the character set again as it is now, after a step whose answer is not the body. */
    public static Runnable keep(Exchange exchange) {
        Object charset = exchange.getProperty(ExchangePropertyKey.CHARSET_NAME);
        Object ofAnswer = exchange.getProperty(PROPERTY);
        return () -> {
            exchange.setProperty(ExchangePropertyKey.CHARSET_NAME, charset);
            exchange.setProperty(PROPERTY, ofAnswer);
        };
    }

    /**
     * Records after a step that its answer has set the character set, or forgets that of an earlier answer. JSON in another one becomes UTF-8 without a
     * byte order mark: not every step that reads JSON knows others.
     *
     * @param before the character set {@link #before} the step
     * @param body the body before the step
     */
    public static void receive(Exchange exchange, Object before, Object body) {
        Object now = exchange.getProperty(ExchangePropertyKey.CHARSET_NAME);
        if (!Objects.equals(before, now)) {
            exchange.setProperty(PROPERTY, now);
        } else if (now == before && body != exchange.getMessage().getBody()) {
            remove(exchange);
        }
        Object type = exchange.getMessage().getHeader(CONTENT_TYPE);
        if (type instanceof String text && body != exchange.getMessage().getBody() && !isOfTheRoute(exchange)) {
            receive(exchange, text);
        }
    }

    private static void receive(Exchange exchange, String type) {
        String name = exchange.getProperty(ExchangePropertyKey.CHARSET_NAME, String.class);
        byte[] text = JSON.matcher(type).matches() ? utf8(exchange.getMessage().getBody(), name) : null;
        if (text != null) {
            exchange.removeProperty(ExchangePropertyKey.CHARSET_NAME);
            String plain = without(type);
            RowHeaders.receive(exchange, CONTENT_TYPE, plain);
            exchange.getMessage().setHeader(CONTENT_TYPE, plain);
            exchange.getMessage().removeHeader(Exchange.CONTENT_LENGTH);
            exchange.getMessage().setBody(text);
        }
    }

    /** The bytes of a body in UTF-8 without a byte order mark; null if they are that already, or cannot be read. */
    private static byte[] utf8(Object body, String name) {
        try {
            Charset charset = name != null && Charset.isSupported(name) ? Charset.forName(name) : UTF_8;
            byte[] bytes = body instanceof StreamCache cache ? bytes(cache, !charset.equals(UTF_8)) : null;
            if (body instanceof byte[] array) {
                bytes = array;
            }
            if (bytes == null || charset.equals(UTF_8) && !isMarked(bytes)) {
                return null;
            }
            byte[] text = charset.equals(UTF_8) ? bytes : new String(bytes, charset).getBytes(UTF_8);
            return isMarked(text) ? Arrays.copyOfRange(text, MARK.length, text.length) : text;
        } catch (IOException | IllegalCharsetNameException e) {
            return null; // a step that reads the answer fails
        }
    }

    /** The bytes of a stream if they are needed, or begin with a mark; null otherwise. */
    private static byte[] bytes(StreamCache cache, boolean needed) throws IOException {
        boolean isMarked = cache instanceof InputStream in && isMarked(in.readNBytes(MARK.length));
        cache.reset();
        if (!needed && !isMarked) {
            return null;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        cache.writeTo(bytes);
        cache.reset();
        return bytes.toByteArray();
    }

    private static boolean isMarked(byte[] text) {
        return text.length >= MARK.length && Arrays.equals(text, 0, MARK.length, MARK, 0, MARK.length);
    }

    /** Whether the route, and no answer, has set the character set. */
    public static boolean isOfTheRoute(Exchange exchange) {
        Object charset = exchange.getProperty(ExchangePropertyKey.CHARSET_NAME);
        return charset != null && !charset.equals(exchange.getProperty(PROPERTY));
    }

    /** Before a text or a value of JSON is sent, removes the character set and the encoding of an answer. An answer that is sent on as bytes keeps it. */
    public static void forget(Exchange exchange) {
        Object body = exchange.getIn().getBody();
        if (!(body instanceof String || SentBody.isValue(body))) {
            return;
        }
        remove(exchange);
        Object encoding = exchange.getIn().getHeader(Exchange.CONTENT_ENCODING);
        if (encoding != null && RowHeaders.isReceived(exchange, Exchange.CONTENT_ENCODING, encoding)) {
            exchange.getIn().removeHeader(Exchange.CONTENT_ENCODING); // no encoding of a text
        }
        Object type = exchange.getIn().getHeader(CONTENT_TYPE);
        if (type != null && RowHeaders.isReceived(exchange, CONTENT_TYPE, type)) {
            exchange.getIn().setHeader(CONTENT_TYPE, without(exchange.getIn().getHeader(CONTENT_TYPE, String.class)));
        }
    }

    /** Before a body is read that is no answer, removes the character set of an answer. */
    public static void remove(Exchange exchange) {
        if (!isOfTheRoute(exchange)) {
            exchange.removeProperty(ExchangePropertyKey.CHARSET_NAME);
        }
    }

    /** An answer without a content type is not in the character set of an earlier one. */
    public static void receiveUntyped(Exchange exchange) {
        if (exchange.getProperty(ExchangePropertyKey.CHARSET_NAME) != null && !isOfTheRoute(exchange)) {
            exchange.setProperty(ExchangePropertyKey.CHARSET_NAME, UTF_8.name()); // as Camel does without a charset
        }
    }

    /** A content type without its character set. */
    public static String without(String contentType) {
        return PARAMETER.matcher(contentType).replaceAll("");
    }
}
