package dev.caravan.camel.guard;

import dev.caravan.camel.FieldException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The query of an address of HTTP in a form with which the receiver reads what the address says. Camel sends {@code %2B} as {@code +}, which is a
 * space to receivers, and {@code %26} as the end of a parameter. What is in {@code RAW()} is encoded for the receiver.
 */
public final class AddressQuery {
    private static final Pattern WITH_QUERY = Pattern.compile("https?:[^?]*\\?", Pattern.CASE_INSENSITIVE);

    /** The name and the value of a parameter. */
    static final Pattern PARAMETER =
            Pattern.compile("(?<=[?&])([^=&]+=)(RAW\\(.*?\\)(?=&|$)|RAW\\{.*?}(?=&|$)|[^&]*)", Pattern.DOTALL);

    private static final Pattern RAW = Pattern.compile("RAW[({]");

    private static final Pattern CHANGED = Pattern.compile("%2B|%26", Pattern.CASE_INSENSITIVE);

    private AddressQuery() {}

    /** The address with each parameter in {@code RAW()} that Camel would change; any other text unchanged. */
    public static String asWritten(String address) {
        return replaced(address, value -> CHANGED.matcher(value).find() ? raw(value, decoded(value)) : value);
    }

    /**
     * The same for an address that a step computes. A {@code +} of a message is no space.
     *
     * @param sample the address in the route, with {@link AddressTemplate#VALUE} in place of each value
     * @param isOptimised whether Camel encodes percent signs, too
     * @throws FieldException if it is not clear which {@code +} is of the message
     */
    static String asWritten(String address, String sample, boolean isOptimised) {
        Iterator<String> ofRoute = values(sample).iterator();
        return values(address).count() == values(sample).count()
                ? replaced(address, value -> asSent(value, ofRoute.next(), isOptimised))
                : asWritten(address); // a value has parameters, or is the whole address
    }

    private static String asSent(String value, String ofRoute, boolean isOptimised) {
        if (ofRoute.indexOf(AddressTemplate.VALUE) < 0) {
            return value.contains("%") ? raw(value, decoded(value)) : value;
        }
        long added = pluses(value) - pluses(ofRoute);
        if (added > 0 && ofRoute.contains("+")) {
            throw new FieldException("A value of the message adds + to a parameter of an address in which the route has"
                    + " a +, too, which is a space. Write a space in the route");
        }
        if (isOptimised) {
            return added > 0 ? raw(value, value) : value;
        }
        return added > 0 || CHANGED.matcher(value).find() ? raw(value, decoded(value.replace("+", "%2B"))) : value;
    }

    private static long pluses(String text) {
        return text.chars().filter(each -> each == '+').count();
    }

    private static Stream<String> values(String address) {
        return PARAMETER.matcher(query(address)).results().map(parameter -> parameter.group(2));
    }

    private static String replaced(String address, UnaryOperator<String> change) {
        String query = query(address);
        return address.substring(0, address.length() - query.length())
                + PARAMETER
                        .matcher(query)
                        .replaceAll(each -> Matcher.quoteReplacement(each.group(1) + change.apply(each.group(2))));
    }

    /** With the question mark; empty if there is none, or the address is none of HTTP. */
    private static String query(String address) {
        return WITH_QUERY.matcher(address).lookingAt() ? address.substring(address.indexOf('?')) : "";
    }

    /** @return the value if its text is, or cannot be, in {@code RAW()} */
    private static String raw(String value, String text) {
        boolean isBytes = text.indexOf('\ufffd') >= 0; // not of UTF-8
        boolean hasBoth = text.contains(")") && text.contains("}");
        if (RAW.matcher(value).lookingAt() || isBytes || hasBoth || text.contains("{{")) {
            return value;
        }
        String kept = text.replace("%25", "%2525"); // Camel reads it as a percent sign
        return text.contains(")") ? "RAW{" + kept + "}" : "RAW(" + kept + ")";
    }

    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return value; // a percent sign without two digits
        }
    }
}
