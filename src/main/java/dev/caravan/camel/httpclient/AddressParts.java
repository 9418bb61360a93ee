package dev.caravan.camel.httpclient;

import dev.caravan.camel.FieldException;
import dev.caravan.camel.guard.AddressPath;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import java.util.regex.MatchResult;
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

    private static final List<String> PARTS =
            List.of(Exchange.HTTP_URI, Exchange.HTTP_PATH, Exchange.HTTP_QUERY, Exchange.HTTP_RAW_QUERY);

    private static final Pattern END_OF_PATH = Pattern.compile("[?#]");
    private static final Pattern WEB = Pattern.compile("https?:", Pattern.CASE_INSENSITIVE);
    private static final Pattern PARAMETER = Pattern.compile("%7b(.*?)%7d", Pattern.CASE_INSENSITIVE);

    /** A text that Camel would send as it is, with all its separators. */
    private static final Pattern UNCHANGED = Pattern.compile("RAW[({]");

    /** What a URI of Java cannot have, and what would be sent as a question mark. */
    private static final Pattern NOT_SENT = Pattern.compile("[\\p{Cntrl}\\x80-\\x9f]|\\p{Cs}");

    /** Camel encodes ASCII only. Java refuses other spaces, such as the one in 10 000, and composes letters, so that two names become one. */
    private static final Pattern NOT_ASCII = Pattern.compile("[^\\x00-\\x7f]");

    private static final Pattern QUERY_OF_REST = Pattern.compile("\\{([^{}?]+)}");

    private static final Function<MatchResult, String> ENCODED =
            sign -> URLEncoder.encode(sign.group(), StandardCharsets.UTF_8);

    private AddressParts() {}

    /**
     * Replaces the parameters of {@code rest:}, and encodes what Camel does not encode and Java refuses.
     *
     * @param endpoint the address to which a message without such headers is sent
     * @throws FieldException if a header with an address or a part of it leads elsewhere; without its text
     */
    static void require(Exchange exchange, URI endpoint) {
        Message message = exchange.getIn();
        PARTS.forEach(name -> encode(message, name));
        if (isOfRest(exchange)) {
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
        if (message.getHeader(Exchange.HTTP_URI) != null && !WEB.matcher(uri).lookingAt()) {
            throw new FieldException(
                    "The header " + Exchange.HTTP_URI + " is no address that begins with http: or https:");
        }
    }

    private static void encode(Message message, String name) {
        String part = message.getHeader(name, "", String.class);
        if (NOT_SENT.matcher(part).find()) {
            throw new FieldException("The header " + name + " has a control character, or half a character");
        }
        String sent = encoded(part, name);
        if (!sent.equals(part)) {
            message.setHeader(name, sent);
        }
    }

    private static String encoded(String part, String name) {
        return switch (name) {
            case Exchange.HTTP_PATH -> AddressPath.encoded(part);
            case Exchange.HTTP_URI ->
                NOT_ASCII.matcher(AddressPath.sendable(part)).replaceAll(ENCODED);
            default -> NOT_ASCII.matcher(part).replaceAll(ENCODED);
        };
    }

    /** Whether a step {@code rest:} sends. */
    static boolean isOfRest(Exchange exchange) {
        return exchange.getProperty(ExchangePropertyKey.TO_ENDPOINT, "", String.class)
                .startsWith("rest");
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
        requireQuery(exchange);
        if (UNCHANGED
                .matcher(exchange.getIn().getHeader(Exchange.REST_HTTP_QUERY, "", String.class))
                .find()) {
            throw new FieldException(
                    "A parameter of the query of the step rest: begins with RAW, which Camel does not encode");
        }
    }

    /** Camel would send the name of a parameter of the query that has no value. */
    private static void requireQuery(Exchange exchange) {
        String step = exchange.getProperty(ExchangePropertyKey.TO_ENDPOINT, "", String.class);
        int query = step.indexOf("queryParameters=");
        QUERY_OF_REST
                .matcher(URLDecoder.decode(step.substring(query < 0 ? step.length() : query), StandardCharsets.UTF_8))
                .results()
                .forEach(parameter -> requireValue(parameter.group(1), value(exchange, parameter.group(1))));
    }

    private static String value(Exchange exchange, String name) {
        return exchange.getIn().getHeader(name, exchange.getVariable(name, String.class), String.class);
    }

    private static void requireValue(String name, String value) {
        if (value == null) {
            throw new FieldException("The parameter " + name + " of the step rest: has no value");
        }
    }

    private static String segment(Exchange exchange, String encodedName) {
        String name = URLDecoder.decode(encodedName, StandardCharsets.UTF_8);
        String value = value(exchange, name);
        requireValue(name, value == null || value.isEmpty() ? null : value);
        String segment = URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
        requirePath("The parameter " + name + " of the step rest:", segment);
        return segment;
    }

    private static void requirePath(String part, String path) {
        if (AddressPath.isUnreadable(path)) {
            throw new FieldException(part + " has a control character, or bytes that are not UTF-8");
        }
        if (AddressPath.dots(path) > 0) {
            throw new FieldException(part + " has the segment . or .., which would lead to another path");
        }
    }
}
