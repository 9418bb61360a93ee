package dev.caravan.routes.tryout;

import dev.caravan.base.message.Mask;
import dev.caravan.base.settings.Settings;
import dev.caravan.routes.context.RouteOutline;
import dev.caravan.routes.destination.Bytes;
import dev.caravan.routes.destination.Header;
import jakarta.mail.internet.MimeUtility;
import java.io.UnsupportedEncodingException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.camel.util.URISupport;

/** Masks credentials in the output: values of settings that are secrets, logins in headers, and secrets in addresses. */
public final class Secrets {
    private static final Pattern SECRET_NAME =
            Pattern.compile("(?i).*(password|passphrase|secret|token|api-?key|access-?key|credential).*");
    private static final Pattern VALUE_IN_QUERY = Pattern.compile("([?&][^=&]*=)[^&]+");

    /** Also names that end with key: a header of such a name, as Idempotency-Key, is often no secret, and its value differs for each message. */
    private static final Pattern SECRET_SETTING =
            Pattern.compile(SECRET_NAME.pattern() + "|.*(key|pwd|passwd)", Pattern.CASE_INSENSITIVE);

    private static final Set<String> LOGINS = Set.of("authorization", "proxy-authorization", "cookie");
    /** Shorter values are not masked, because they would hide parts of other texts. */
    private static final int SHORTEST = 5;

    /** The number of digits of the shortest phone number that is found without its spaces and brackets. */
    private static final int SHORTEST_NUMBER = 7;

    private static final Pattern PHONE = Pattern.compile("[\\d+ ().\\-/\u00a0]+");

    private final boolean shown;
    private final boolean wholeAddresses;
    private final Set<String> values;
    /** The values without escapes. */
    private final Set<String> plain;

    private final List<Pattern> numbers;

    private Secrets(boolean shown, boolean wholeAddresses, Set<String> values) {
        this.shown = shown;
        this.wholeAddresses = wholeAddresses;
        this.values = values;
        plain = values.stream()
                .flatMap(value -> Stream.concat(Stream.of(value, inForm(value), escaped(value)), CodedValue.of(value)))
                .map(value -> Unescaped.of(value).text())
                .filter(value -> !value.isEmpty())
                .collect(Collectors.toSet());
        numbers = values.stream().flatMap(Secrets::number).toList();
    }

    /** A phone number with other spaces and brackets, or none. */
    private static Stream<Pattern> number(String value) {
        String digits = value.replaceAll("\\D", "");
        return PHONE.matcher(value).matches() && digits.length() >= SHORTEST_NUMBER
                ? Stream.of(Pattern.compile(String.join("[\\s().\\-/]{0,2}", digits.split(""))))
                : Stream.of();
    }

    public static Secrets of(Settings settings) {
        return of(settings.all().entrySet().stream()
                .filter(setting -> SECRET_SETTING.matcher(setting.getKey()).matches())
                .flatMap(setting -> Stream.of(setting.getValue().split("[,\\s]+")))
                .filter(value -> value.length() >= SHORTEST)
                .collect(Collectors.toSet()));
    }

    private static Secrets of(Set<String> values) {
        return new Secrets(false, true, values);
    }

    public static Secrets shown() {
        return new Secrets(true, true, Set.of());
    }

    /** Also masks other values, such as personal data of a message, unless all values are shown. */
    public Secrets and(List<String> more) {
        return shown
                ? this
                : new Secrets(
                        false,
                        wholeAddresses,
                        Stream.concat(values.stream(), more.stream()).collect(Collectors.toSet()));
    }

    /** Also masks those parts of addresses that may be a credential, as in the list of routes. */
    public Secrets withoutWholeAddresses() {
        return new Secrets(shown, false, values);
    }

    /** The value as it is encoded in a form. */
    private static String inForm(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    /** The value as it is escaped in HTML and XML. */
    private static String escaped(String value) {
        return value.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    public String mask(String text) {
        BitSet hidden = places(text);
        StringBuilder masked = new StringBuilder();
        int at = 0;
        for (int from = hidden.nextSetBit(0); from >= 0; from = hidden.nextSetBit(at)) {
            masked.append(text, at, from).append(Mask.HIDDEN);
            at = hidden.nextClearBit(from);
        }
        return masked.append(text, at, text.length()).toString();
    }

    private BitSet places(String text) {
        BitSet places = new BitSet(text.length());
        Unescaped unescaped = Unescaped.of(text);
        unescaped.find(plain, places);
        unescaped.match(numbers, places);
        return places;
    }

    /** The bytes as they are shown. In bytes that are no text, stars stand for the values. */
    public String mask(Bytes bytes) {
        if (bytes.isText()) {
            return mask(bytes.text());
        }
        byte[] masked = bytes.array().clone();
        Set<String> encoded = values.stream()
                .map(value -> new String(value.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1))
                .collect(Collectors.toSet());
        of(encoded).places(new String(masked, StandardCharsets.ISO_8859_1)).stream()
                .forEach(place -> masked[place] = '*');
        return new Bytes(masked).shown();
    }

    /** A text of a mail, which may consist of encoded words. */
    public String maskEncoded(String text) {
        String decoded = decoded(text);
        String masked = mask(decoded);
        return masked.equals(decoded) ? mask(text) : masked;
    }

    private static String decoded(String text) {
        try {
            return MimeUtility.decodeText(MimeUtility.unfold(text));
        } catch (UnsupportedEncodingException e) {
            return text;
        }
    }

    public String maskAddress(String address) {
        String masked = shown ? address : mask(URISupport.sanitizeUri(address).replace("xxxxxx", Mask.HIDDEN));
        return wholeAddresses ? masked : withoutCredentials(masked);
    }

    /** The method of a request may stand before its address. Of the query only the names are shown. */
    private static String withoutCredentials(String request) {
        int address = request.indexOf(' ') + 1;
        int query = request.indexOf('?', address);
        return request.substring(0, address)
                + RouteOutline.withoutCredentials(request.substring(address, query < 0 ? request.length() : query))
                + (query < 0
                        ? ""
                        : VALUE_IN_QUERY.matcher(request.substring(query)).replaceAll("$1" + Mask.HIDDEN));
    }

    /** Also a header that a route sets to a constant: its value is that of no setting. */
    private static boolean isSecret(String header) {
        return LOGINS.contains(header.toLowerCase(Locale.ROOT))
                || SECRET_NAME.matcher(header).matches();
    }

    public String maskHeader(Header header) {
        if (!shown && isSecret(header.name())) {
            int scheme = header.text().indexOf(' ');
            return (scheme < 0 ? "" : header.text().substring(0, scheme + 1)) + Mask.HIDDEN;
        }
        return header.value().isText() ? maskEncoded(header.text()) : mask(header.value());
    }
}
