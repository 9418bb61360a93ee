package dev.caravan.camel.guard;

import java.util.List;
import java.util.regex.Pattern;

/**
 * The query of an address of HTTP in a form with which the receiver reads what the address says. Camel sends {@code %2B} as {@code +}, which is a
 * space to receivers, and {@code %26} as the end of a parameter. What is in {@code RAW()} is encoded for the receiver.
 */
public final class AddressQuery {
    private static final Pattern WITH_QUERY = Pattern.compile("https?:[^?]*\\?", Pattern.CASE_INSENSITIVE);

    private static final Pattern RAW = Pattern.compile("RAW[({]");

    private static final Pattern CHANGED = Pattern.compile("%2B|%26", Pattern.CASE_INSENSITIVE);

    private AddressQuery() {}

    /** The address with each parameter in {@code RAW()} that Camel would change; any other text unchanged. */
    public static String asWritten(String address) {
        if (!WITH_QUERY.matcher(address).lookingAt()) {
            return address;
        }
        int query = address.indexOf('?') + 1;
        return address.substring(0, query)
                + Option.join(Option.all(new FilledText(address.substring(query), List.of())), option -> {
                    String value = option.value().text();
                    return CHANGED.matcher(value).find() ? raw(value, AddressValues.decoded(value)) : value;
                });
    }

    /** @return the value if its text is, or cannot be, in {@code RAW()} */
    private static String raw(String value, String text) {
        boolean isBytes = text.indexOf('\ufffd') >= 0; // not of UTF-8
        boolean hasBoth = text.contains(")&") && text.contains("}&");
        return RAW.matcher(value).lookingAt() || isBytes || hasBoth || text.contains("{{")
                ? value
                : AddressValues.raw(text);
    }
}
