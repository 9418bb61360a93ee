package dev.caravan.camel.httpclient;

import dev.caravan.camel.FieldException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.Message;

/**
 * Refuses parts of an address that lead elsewhere than the route says: a route may make {@code CamelHttpPath}, and Camel makes the parameters of
 * {@code rest:}, of texts of the message. Such a message is dead at once.
 */
final class AddressParts {
    private static final String PLACEHOLDER = "{{";
    private static final Pattern END_OF_PATH = Pattern.compile("[?#]");
    private static final Pattern PARAMETER = Pattern.compile("%7b(.*?)%7d", Pattern.CASE_INSENSITIVE);

    /** A text that Camel would send as it is, with all its separators. */
    private static final Pattern UNCHANGED = Pattern.compile("RAW[({]");

    private static final Pattern ENCODED = Pattern.compile("%([0-7][0-9a-f])", Pattern.CASE_INSENSITIVE);

    /** A control character, or the beginning of a character of ASCII in a form that UTF-8 forbids and some receivers read. */
    private static final Pattern UNREADABLE = Pattern.compile("\\p{Cntrl}|%c[01]", Pattern.CASE_INSENSITIVE);

    /** As receivers may read it: with a backslash, or with parameters of a segment. */
    private static final Pattern SEPARATOR = Pattern.compile("[/\\\\]");

    private static final Pattern DOTS = Pattern.compile("\\.{1,2}\\s*(?:;.*)?");

    private AddressParts() {}

    /**
     * Replaces the parameters of {@code rest:}.
     *
     * @param endpoint the address to which a message without such headers is sent
     * @throws FieldException if a header with an address or a part of it leads elsewhere; without its text
     */
    static void require(Exchange exchange, URI endpoint) {
        Message message = exchange.getIn();
        if (exchange.getProperty(ExchangePropertyKey.TO_ENDPOINT, "", String.class)
                .startsWith("rest")) {
            replaceParameters(exchange, endpoint.toString());
        }
        for (String name : new String[] {Exchange.HTTP_PATH, Exchange.REST_HTTP_URI}) {
            String path = message.getHeader(name, "", String.class);
            requirePath("The header " + name, path);
            if (END_OF_PATH.matcher(path).find()) {
                throw new FieldException("The header " + name + " has a ? or #, which would end the path of the"
                        + " address. Set a query with CamelHttpQuery");
            }
        }
        String uri = message.getHeader(Exchange.HTTP_URI, "", String.class);
        requirePath("The header " + Exchange.HTTP_URI, END_OF_PATH.split(uri, 2)[0]);
        if (uri.contains(PLACEHOLDER)) { // Camel would replace it by a setting, which may be a secret
            throw new FieldException("The header " + Exchange.HTTP_URI + " has {{, the beginning of a placeholder");
        }
    }

    /** Makes each parameter one segment. Camel would make several of a text with slashes, and leave the name in place of one with a brace. */
    private static void replaceParameters(Exchange exchange, String address) {
        Matcher parameters = PARAMETER.matcher(END_OF_PATH.split(address, 2)[0]);
        if (parameters.find()) {
            exchange.getIn()
                    .setHeader(
                            Exchange.REST_HTTP_URI,
                            parameters.replaceAll(parameter -> segment(exchange, parameter.group(1))));
        }
        if (UNCHANGED
                .matcher(exchange.getIn().getHeader(Exchange.REST_HTTP_QUERY, "", String.class))
                .find()) {
            throw new FieldException(
                    "A parameter of the query of the step rest: begins with RAW, which Camel does not encode");
        }
    }

    private static String segment(Exchange exchange, String encodedName) {
        String name = URLDecoder.decode(encodedName, StandardCharsets.UTF_8);
        String value = exchange.getIn().getHeader(name, exchange.getVariable(name, String.class), String.class);
        if (value == null || value.isEmpty()) {
            throw new FieldException("The parameter " + name + " of the step rest: has no value");
        }
        String segment = URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
        requirePath("The parameter " + name + " of the step rest:", segment);
        return segment;
    }

    private static void requirePath(String part, String path) {
        String read = decoded(path);
        if (UNREADABLE.matcher(read).find()) {
            throw new FieldException(part + " has a control character, or bytes that are not UTF-8");
        }
        if (Arrays.stream(SEPARATOR.split(read)).anyMatch(DOTS.asMatchPredicate())) {
            throw new FieldException(part + " has the segment . or .., which would lead to another path");
        }
    }

    /** The path as receivers read it, also those that decode it twice, or a parameter that is encoded here. */
    private static String decoded(String path) {
        String read = path;
        for (int times = 0; times < 3; times++) {
            read = ENCODED.matcher(read)
                    .replaceAll(
                            each -> Matcher.quoteReplacement(Character.toString(Integer.parseInt(each.group(1), 16))));
        }
        return read;
    }
}
