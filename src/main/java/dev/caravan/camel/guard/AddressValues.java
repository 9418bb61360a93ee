package dev.caravan.camel.guard;

import dev.caravan.camel.FieldException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The values in an address that is none of HTTP, in a form that arrives as it is. Camel decodes a path twice and an option once. It takes an option in
 * {@code RAW()} as it is, without its line breaks.
 */
final class AddressValues {
    private static final Pattern HTTP = Pattern.compile("https?:", Pattern.CASE_INSENSITIVE);
    private static final Pattern RAW = Pattern.compile("RAW[({](.*)[)}]", Pattern.DOTALL);

    /** What Camel decodes in the path. */
    private static final Pattern ENCODED = Pattern.compile("%(?=[0-9a-fA-F]{2})");

    /** What Camel or Java does not take as it is, and Camel does not decode in {@code RAW()}: line breaks, and spaces other than that of ASCII. */
    private static final Pattern REFUSED = Pattern.compile("[\\p{Cntrl}\\x80-\\x9f\\p{Z}&&[^ ]]");

    /** What Camel changes in a path, or spaces that it cuts off. */
    private static final Pattern CHANGED_PATH = Pattern.compile(ENCODED + "| +$|" + REFUSED);

    /** A percent sign of the route, as in {@code like '%${header.name}%'}, which Camel would decode with the digits of the value behind it. */
    private static final Pattern BEFORE_VALUE = Pattern.compile("%(?:25)*([0-9a-fA-F]?)$");

    /** The same as {@link #CHANGED_PATH} in an option. */
    private static final Pattern CHANGED = Pattern.compile("[%+&]| $|" + REFUSED);

    private AddressValues() {}

    /**
     * The address in a form that Camel reads as what the text says.
     *
     * @param sample the address in the route, with {@link AddressTemplate#VALUE} in place of each value
     * @throws FieldException if there is none
     */
    static String asWritten(String address, String sample) {
        if (sample.indexOf(AddressTemplate.VALUE) <= 0 || HTTP.matcher(sample).lookingAt()) {
            return address;
        }
        String[] parts = address.split("\\?", 2);
        String[] ofRoute = sample.split("\\?", 2);
        if (parts.length != ofRoute.length) {
            return address;
        }
        String path = path(parts[0], ofRoute[0]);
        String sent = parts.length == 1 ? path : path + "?" + options(parts[1], ofRoute[1]);
        return path.equals(parts[0]) ? sent : sent + (parts.length == 1 ? "?" : "&") + identified(path);
    }

    /** An option that Camel ignores. It decodes the key of an endpoint once more, and would take that of {@code a%20b} for {@code a b}. */
    private static String identified(String path) {
        return "hash=" + UUID.nameUUIDFromBytes(path.getBytes(StandardCharsets.UTF_8));
    }

    private static String path(String path, String ofRoute) {
        return CHANGED_PATH.matcher(path).find() && ofRoute.indexOf(AddressTemplate.VALUE) >= 0
                ? each(
                        path,
                        ofRoute,
                        literal -> BEFORE_VALUE.matcher(literal).replaceFirst("%2525$1"),
                        AddressValues::encodedPath)
                : path;
    }

    private static String encodedPath(String value) {
        return CHANGED_PATH.matcher(value).replaceAll(changed -> encoded(changed.group())
                .replace("%", "%25"));
    }

    private static String options(String query, String ofRoute) {
        long count = AddressQuery.PARAMETER.matcher("?" + query).results().count();
        Iterator<String> samples = AddressQuery.PARAMETER
                .matcher("?" + ofRoute)
                .results()
                .map(option -> option.group(2))
                .toList()
                .iterator();
        if (count != AddressQuery.PARAMETER.matcher("?" + ofRoute).results().count()) {
            return query; // a value has options
        }
        return AddressQuery.PARAMETER
                .matcher("?" + query)
                .replaceAll(
                        option -> Matcher.quoteReplacement(option.group(1) + option(option.group(2), samples.next())))
                .substring(1);
    }

    private static String option(String option, String ofRoute) {
        if (ofRoute.indexOf(AddressTemplate.VALUE) < 0) {
            return option;
        }
        Matcher raw = RAW.matcher(ofRoute);
        Matcher given = RAW.matcher(option);
        boolean isRaw = raw.matches() && given.matches();
        String text = isRaw
                ? each(given.group(1), raw.group(1), literal -> literal.replace("%25", "%"), UnaryOperator.identity())
                : each(option, ofRoute, AddressValues::decoded, UnaryOperator.identity());
        if (!isRaw && !CHANGED.matcher(text).find()) {
            return text;
        }
        if (!REFUSED.matcher(text).find()) {
            return raw(text);
        }
        if (text.indexOf('+') < 0 && text.indexOf('&') < 0) {
            return encoded(text);
        }
        if (refused(text) > refused(ofRoute)) {
            throw new FieldException("A value of the message adds a line break, or a space that is none of ASCII, to an"
                    + " option of an address that the route computes, which has a + or &, too. Camel cannot take both. If the step itself computes"
                    + " this option, as sms: and email: do, use to in place of toD");
        }
        return raw(text);
    }

    private static long refused(String text) {
        return REFUSED.matcher(text).results().count();
    }

    /** Camel looks for the first parenthesis, and decodes what is behind it. It reads {@code %25} as a percent sign in all of it. */
    private static String raw(String text) {
        String kept = text.replace("%25", "%2525");
        int end = kept.indexOf(')') + 1;
        return "RAW("
                + (end == 0
                        ? kept
                        : kept.substring(0, end)
                                + ENCODED.matcher(kept.substring(end)).replaceAll("%25"))
                + ")";
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static String decoded(String literal) {
        try {
            return URLDecoder.decode(literal, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return literal; // a percent sign without two digits
        }
    }

    /** The text with each literal and each value changed. */
    private static String each(
            String text, String ofRoute, UnaryOperator<String> ofLiteral, UnaryOperator<String> ofValue) {
        String[] literals = ofRoute.split(AddressTemplate.VALUE + "+", -1);
        if (ofRoute.indexOf('%') < 0 && ofRoute.indexOf('+') < 0) {
            return ofValue.apply(text);
        }
        StringBuilder changed = new StringBuilder(ofLiteral.apply(literals[0]));
        int at = literals[0].length();
        int[] last = lastPlaces(text, literals);
        for (int i = 1; i < literals.length; i++) {
            int next = i + 1 == literals.length ? last[i] : text.indexOf(literals[i], at);
            if (next != last[i] || next < at) {
                throw new FieldException("A value of the message has a text that the route has beside it, in an option"
                        + " or a path with a + or % of the route. Write the signs themselves there, or RAW(...)");
            }
            changed.append(ofValue.apply(text.substring(at, next))).append(ofLiteral.apply(literals[i]));
            at = next + literals[i].length();
        }
        return changed.toString();
    }

    private static int[] lastPlaces(String text, String[] literals) {
        int[] places = new int[literals.length];
        int end = text.length();
        for (int i = literals.length - 1; i > 0; i--) {
            end = i + 1 == literals.length
                    ? end - literals[i].length()
                    : text.lastIndexOf(literals[i], end - literals[i].length());
            places[i] = end;
        }
        return places;
    }
}
