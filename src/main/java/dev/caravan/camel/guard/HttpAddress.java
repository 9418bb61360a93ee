package dev.caravan.camel.guard;

import dev.caravan.camel.FieldException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * An address of HTTP that a route computes, in two parts: the one to which the request is sent, as RFC 3986 writes it, and the host with the options of
 * the step, which is all that Camel reads. Camel would decode and encode the address several times, and in each kind of step another number of times.
 *
 * @param url what the route writes as it is, and each value percent-encoded in its place; null if Java finds no host in it
 * @param endpoint the host and the options
 * @param whole both in one text
 * @param isOptionOfMessage whether a value is in an option
 */
record HttpAddress(URI url, String endpoint, String whole, boolean isOptionOfMessage) {
    /** Camel takes the last protocol, and needs no slashes. */
    private static final Pattern AUTHORITY =
            Pattern.compile("(?:https?:/*)*(https?):/*([^/?#]*)", Pattern.CASE_INSENSITIVE);

    /** What a path must not have (RFC 3986, 3.3). */
    private static final Pattern NOT_IN_PATH =
            Pattern.compile("%(?![0-9a-f]{2})|[^%\\w.~!$&'()*+,;=:@/-]", Pattern.CASE_INSENSITIVE);
    /** What a query must not have (RFC 3986, 3.4). */
    private static final Pattern NOT_IN_QUERY =
            Pattern.compile("%(?![0-9a-f]{2})|[^%\\w.~!$&'()*+,;=:@/?-]", Pattern.CASE_INSENSITIVE);

    private static final Pattern HALF_CHARACTER = Pattern.compile("\\p{Cs}");
    private static final Pattern END_OF_HOST = Pattern.compile("(?=[/?#])");

    /**
     * @param options names of those of the step; the other parameters, and those with a value in their name, are sent
     * @throws FieldException if a value cannot be sent
     */
    static HttpAddress of(FilledText address, Set<String> options) {
        Matcher authority = AUTHORITY.matcher(address.text());
        if (!authority.lookingAt()) {
            throw new IllegalArgumentException("No address of HTTP");
        }
        if (HALF_CHARACTER.matcher(address.whole()).find()) {
            throw new FieldException(
                    "A value of the message has half a character in an address that the route computes");
        }
        // a value behind a host may begin with the path
        String[] host = END_OF_HOST.split(
                address.part(authority.start(2), authority.end(2)).whole(), 2);
        String begin = authority.group(1).toLowerCase(Locale.ROOT) + "://" + host[0];
        String path = (host.length == 1 ? "" : encoded(NOT_IN_PATH, host[1]))
                + address.from(authority.end()).before("?").with(HttpAddress::ofPath, HttpAddress::ofPath);
        List<String> query = new ArrayList<>();
        List<String> ofStep = new ArrayList<>();
        boolean isOfMessage = false;
        for (Option option : Option.all(address.behind("?"))) {
            if (isOfStep(option, options)) {
                ofStep.add(option.given().text() + sentToStep(option.value()));
                isOfMessage |= option.value().hasValue();
            } else {
                query.add(sent(option));
            }
        }
        List<String> all = Stream.concat(query.stream(), ofStep.stream()).toList();
        return new HttpAddress(
                uri(with(query, begin + path)), with(ofStep, begin), with(all, begin + path), isOfMessage);
    }

    private static String with(List<String> query, String address) {
        return address + (query.isEmpty() ? "" : "?" + String.join("&", query));
    }

    static boolean isOfStep(Option option, Set<String> options) {
        return !option.given().hasValue()
                && (options.contains(option.name()) || option.name().startsWith("httpClient."));
    }

    private static String sentToStep(FilledText value) {
        return value.hasValue() ? AddressValues.option(value) : value.text();
    }

    /** A value that is all between two signs {@code &} may be several parameters. */
    private static String sent(Option option) {
        FilledText value = option.value();
        if (option.given().text().isEmpty() && value.isValue()) {
            return encoded(NOT_IN_QUERY, value.whole());
        }
        return option.given().with(HttpAddress::ofQuery, HttpAddress::ofMessage)
                + (AddressValues.isRaw(value)
                        ? ofMessage(AddressValues.read(value).whole())
                        : value.with(HttpAddress::ofQuery, HttpAddress::ofMessage));
    }

    private static String ofPath(String text) {
        return encoded(NOT_IN_PATH, text);
    }

    private static String ofQuery(String text) {
        return encoded(NOT_IN_QUERY, text);
    }

    private static String ofMessage(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    private static String encoded(Pattern refused, String text) {
        return refused.matcher(text).replaceAll(sign -> URLEncoder.encode(sign.group(), StandardCharsets.UTF_8)
                .replace("+", "%20"));
    }

    private static URI uri(String url) {
        try {
            URI uri = new URI(url);
            return uri.getHost() == null ? null : uri;
        } catch (URISyntaxException e) {
            return null;
        }
    }
}
