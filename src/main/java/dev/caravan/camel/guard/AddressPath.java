package dev.caravan.camel.guard;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The path of an address as receivers read it, also those that decode it twice. */
public final class AddressPath {
    private static final Pattern ENCODED = Pattern.compile("%([0-7][0-9a-f])", Pattern.CASE_INSENSITIVE);

    /**
     * A control character, half a character, which would be sent as a question mark, or the beginning of a character of ASCII in a form that UTF-8
     * forbids and some receivers read.
     */
    private static final Pattern UNREADABLE =
            Pattern.compile("[\\p{Cntrl}\\x80-\\x9f]|\\p{Cs}|%c[01]", Pattern.CASE_INSENSITIVE);

    /** As receivers may read it: with a backslash, or with parameters of a segment. */
    private static final Pattern SEPARATOR = Pattern.compile("[/\\\\]");

    private static final Pattern DOTS = Pattern.compile("\\.{1,2}\\s*(?:;.*)?");

    /** The protocol and the host of an address of HTTP, its path, and the rest. */
    private static final Pattern PARTS =
            Pattern.compile("(https?:/*[^/?#]*)([^?#]*)(.*)", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    /** Brackets, which Java refuses and Camel does not encode, and what is not of ASCII: Java would compose it, so that two names become one. */
    private static final Pattern REFUSED = Pattern.compile("[\\[\\]]|[^\\x00-\\x7f]");

    private AddressPath() {}

    /**
     * The address of HTTP to which a request is sent, with everything in its path encoded that Java refuses and Camel does not encode; any other
     * text unchanged.
     */
    public static String sendable(String address) {
        return withPath(address, AddressPath::encoded);
    }

    private static String withPath(String address, UnaryOperator<String> change) {
        Matcher parts = PARTS.matcher(address);
        return parts.matches() ? parts.group(1) + change.apply(parts.group(2)) + parts.group(3) : address;
    }

    /** A path with everything encoded that Java refuses and Camel does not encode. */
    public static String encoded(String path) {
        return REFUSED.matcher(path).replaceAll(refused -> URLEncoder.encode(refused.group(), StandardCharsets.UTF_8));
    }

    /** Whether a path has a control character, or bytes that are not UTF-8. */
    public static boolean isUnreadable(String path) {
        return UNREADABLE.matcher(decoded(path)).find();
    }

    /** The same for a text that nobody decodes. */
    static boolean hasControl(String text) {
        return UNREADABLE.matcher(text.replace("%", "")).find();
    }

    /** The number of segments that are {@code .} or {@code ..}. */
    public static long dots(String path) {
        return SEPARATOR
                .splitAsStream(decoded(path)) // one after the other: there may be millions
                .filter(DOTS.asMatchPredicate())
                .count();
    }

    /** Each sign of ASCII in place of its percent encoding. */
    static String decoded(String path) {
        String read = path;
        for (int times = 0; times < 3; times++) {
            read = ENCODED.matcher(read)
                    .replaceAll(
                            each -> Matcher.quoteReplacement(Character.toString(Integer.parseInt(each.group(1), 16))));
        }
        return read;
    }
}
