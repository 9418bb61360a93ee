package dev.caravan.camel.httpclient;

import dev.caravan.camel.FieldException;
import java.net.URI;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.Message;

/**
 * Refuses parts of an address that lead elsewhere than the route says: a route may make {@code CamelHttpPath}, and Camel makes the parameters of
 * {@code rest:}, of texts of the message.
 */
final class AddressParts {
    private static final String PLACEHOLDER = "{{";
    private static final Pattern END_OF_PATH = Pattern.compile("[?#]");

    /** Also as receivers may read it: encoded, with a backslash, or with parameters of a segment. */
    private static final Pattern SEPARATOR = Pattern.compile("[/\\\\]|%2f|%5c", Pattern.CASE_INSENSITIVE);

    private static final Pattern DOTS = Pattern.compile("(?:\\.|%2e){1,2}(?:(?:;|%3b).*)?", Pattern.CASE_INSENSITIVE);

    private static final Pattern PARAMETER = Pattern.compile("(?:\\{|%7b)(.*?)(?:}|%7d)", Pattern.CASE_INSENSITIVE);

    private AddressParts() {}

    /**
     * @param endpoint the address to which a message without such headers is sent
     * @throws IllegalArgumentException if a header with an address or a part of it leads elsewhere; without its text
     */
    static void require(Exchange exchange, URI endpoint) {
        Message message = exchange.getIn();
        if (exchange.getProperty(ExchangePropertyKey.TO_ENDPOINT, "", String.class)
                .startsWith("rest")) {
            requireParameters(message.getHeader(Exchange.REST_HTTP_URI, endpoint.toString(), String.class));
        }
        requirePath(message, Exchange.HTTP_PATH);
        requirePath(message, Exchange.REST_HTTP_URI);
        requireNoPlaceholder(message);
    }

    /** Camel does not replace a parameter of {@code rest:} by a text with a brace, nor by none: the receiver would get its name. */
    private static void requireParameters(String address) {
        Matcher left = PARAMETER.matcher(address);
        if (left.find()) {
            throw new FieldException("The parameter " + left.group(1)
                    + " of the step rest: has no value, or one with a brace, which Camel does not replace");
        }
    }

    private static void requirePath(Message message, String name) {
        String path = message.getHeader(name, "", String.class);
        if (END_OF_PATH.matcher(path).find()) {
            throw new IllegalArgumentException("The header " + name + " has a ? or #, which would end the path of the"
                    + " address. Set a query with CamelHttpQuery");
        }
        if (Arrays.stream(SEPARATOR.split(path)).anyMatch(DOTS.asMatchPredicate())) {
            throw new IllegalArgumentException(
                    "The header " + name + " has the segment . or .., which would lead to another path");
        }
    }

    /** Camel would replace it by a setting, which may be a secret. */
    private static void requireNoPlaceholder(Message message) {
        if (message.getHeader(Exchange.HTTP_URI, "", String.class).contains(PLACEHOLDER)) {
            throw new IllegalArgumentException(
                    "The header " + Exchange.HTTP_URI + " has {{, the beginning of a placeholder");
        }
    }
}
