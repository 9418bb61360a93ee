package dev.caravan.camel.guard;

import dev.caravan.camel.FieldException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The values in an address that is none of HTTP, in a form that arrives as it is. Camel decodes a path twice and an option once. It takes an option in
 * {@code RAW()} as it is, without its line breaks.
 */
final class AddressValues {
    private static final Pattern RAW = Pattern.compile("RAW[({](.*)[)}]", Pattern.DOTALL);

    /** What Camel decodes in the path. */
    private static final Pattern ENCODED = Pattern.compile("%(?=[0-9a-fA-F]{2}|[0-9a-fA-F]?$)");

    /** What Camel or Java does not take as it is, and Camel does not decode in {@code RAW()}: line breaks, and spaces other than that of ASCII. */
    static final Pattern REFUSED = Pattern.compile("[\\p{Cntrl}\\x80-\\x9f\\p{Z}&&[^ ]]");

    /** What Camel changes in a path, or spaces that it cuts off. */
    private static final Pattern CHANGED_PATH = Pattern.compile(ENCODED + "| +$|&(?=&|$)|" + REFUSED);

    /** A percent sign of the route, as in {@code like '%${header.name}%'}, which Camel would decode with the digits of the value behind it. */
    private static final Pattern BEFORE_VALUE = Pattern.compile("%(?:25)*([0-9a-fA-F]?)$");

    /** The same as {@link #CHANGED_PATH} in an option. */
    private static final Pattern CHANGED = Pattern.compile("[%+&?#]| $|" + REFUSED);

    private AddressValues() {}

    /** The path in a form that Camel reads as what the text says; unchanged if it is that. */
    static String path(FilledText path) {
        return path.values().stream()
                                .anyMatch(value -> CHANGED_PATH.matcher(value).find())
                        || path.hasValue() && path.text().indexOf('%') >= 0
                ? path.with(
                        literal -> BEFORE_VALUE.matcher(literal).replaceFirst("%2525$1"), AddressValues::encodedPath)
                : path.whole();
    }

    /** An option that Camel ignores. It decodes the key of an endpoint once more, and would take that of {@code a%20b} for {@code a b}. */
    static String identified(String path) {
        return "hash=" + UUID.nameUUIDFromBytes(path.getBytes(StandardCharsets.UTF_8));
    }

    private static String encodedPath(String value) {
        return CHANGED_PATH.matcher(value).replaceAll(changed -> encoded(changed.group())
                .replace("%", "%25"));
    }

    static boolean isRaw(FilledText option) {
        return RAW.matcher(option.text()).matches();
    }

    /** An option as Camel reads it, which decodes what the route writes, but no value. */
    static FilledText read(FilledText option) {
        return isRaw(option)
                ? option.part(4, option.text().length() - 1).withRoute(literal -> literal.replace("%25", "%"))
                : option.withRoute(AddressValues::decoded);
    }

    /**
     * An option in a form that Camel reads as what the text says.
     *
     * @throws FieldException if there is none
     */
    static String option(FilledText option) {
        if (!option.hasValue()
                && (option.text().indexOf('%') < 0 || option.text().startsWith("%23"))) {
            return option.text();
        }
        FilledText read = read(option);
        String text = read.whole();
        if (!isRaw(option) && !CHANGED.matcher(text).find()) {
            return text;
        }
        if (REFUSED.matcher(text).find() && text.indexOf('+') < 0 && text.indexOf('&') < 0) {
            return encoded(text);
        }
        if (refused(text) > refused(read.text())) {
            throw new FieldException("A value of the message adds a line break, or a space that is none of ASCII, to an"
                    + " option of an address that the route computes, which has a + or &, too. Camel cannot take both. If the step itself computes"
                    + " this option, as sms: and email: do, use to in place of toD");
        }
        return raw(text);
    }

    private static long refused(String text) {
        return REFUSED.matcher(text).results().count();
    }

    /**
     * A text in {@code RAW()}. Camel looks for the first closing sign, and decodes what is behind it. It reads {@code %25} as a percent sign in all of
     * it, and takes the closing sign before {@code &} for the end.
     *
     * @throws FieldException if the text has the end of each form
     */
    static String raw(String text) {
        boolean isRound = !text.contains(")&") || text.contains("}&") || text.startsWith("{");
        char closing = isRound ? ')' : '}';
        if (text.contains(closing + "&")) {
            throw new FieldException("A value of the message adds )& and }& to an option of an address that the route"
                    + " computes. Camel cannot take both");
        }
        String kept = text.replace("%25", "%2525");
        int end = kept.indexOf(closing) + 1;
        return (isRound ? "RAW(" : "RAW{")
                + (end == 0
                        ? kept
                        : kept.substring(0, end)
                                + ENCODED.matcher(kept.substring(end)).replaceAll("%25"))
                + closing;
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    static String decoded(String literal) {
        try {
            return URLDecoder.decode(literal, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return literal; // a percent sign without two digits
        }
    }
}
