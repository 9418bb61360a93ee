package dev.caravan.routes.tryout;

import dev.caravan.base.message.Mask;
import dev.caravan.base.settings.SecretNames;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.Unescaped;
import dev.caravan.base.text.ErrorText;
import dev.caravan.routes.context.RouteOutline;
import dev.caravan.routes.destination.Bytes;
import dev.caravan.routes.destination.Header;
import jakarta.mail.internet.MimeUtility;
import java.io.UnsupportedEncodingException;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Masks credentials in the output: values of settings, environment variables and system properties that are secrets, logins in headers and in
 * addresses, and secrets in addresses.
 */
public final class Secrets {
    private static final Pattern VALUE_IN_QUERY = Pattern.compile("([?&][^=&]*=)[^&]+");

    /** In a text in lower case and without escapes, in which a plus is a space. */
    private static final List<Pattern> LOGINS_IN_ADDRESSES = List.of(
            // user:password@, also with a slash in the password; digits after the colon are a port; & separates fields
            Pattern.compile("(?<=://)[^/\\s?#\"'<>,;&]{1,500}(?=@)"),
            Pattern.compile(
                    "(?<=://)[^/\\s@?#\"'<>:\\[&]{0,200}+:(?!\\d{1,5}(?:[/?#,;&\\s]|$))[^\\s\"'<>]{1,200}?(?=@)"),
            Pattern.compile(
                    "(?<=jdbc:[\\w-]{1,20}:|jdbc:[\\w-]{1,20}:[\\w-]{1,20}:)[^\\s/@:;?]{1,100}+/[^\\s/@]{1,100}+(?=@)"),
            Pattern.compile("jdbc:[^\\s\"'<>]{1,500}?[?&;,(]user(?:name)?=([^\\r\\n\"'<>;&)]{1,500}+)"),
            Pattern.compile("jdbc:[^\\r\\n\"'<>]{1,500}?[?&;,(]password=([^\\r\\n\"'<>;&)]{1,500}+)"),
            Pattern.compile(
                    "[?&;,(][\\w.-]{0,40}(?:password|passphrase|passwd|pwd|secret|token|api[-_]?key|access[-_]?key|credential)"
                            + "[\\w.-]{0,40}=([^\\r\\n\"'<>;&]{1,2000}+)"));

    /** The user of a mail address. */
    private static final Pattern MAIL_USER = Pattern.compile("([^\\s@<>,;:\"'()]{1,64})@(?=[^\\s@])");

    /** Shorter users of mail addresses are masked as whole words only. */
    private static final int SHORTEST_PART = 5;

    /** The number of digits of the shortest phone number that is found without its spaces and brackets. */
    private static final int SHORTEST_NUMBER = 7;

    /** A longer one is no phone number. */
    private static final int LONGEST_NUMBER = 40;

    private static final Pattern PHONE = Pattern.compile("[\\d+ ().\\-/\u00a0]+");

    private final boolean shown;
    private final boolean wholeAddresses;
    private final Set<String> values;
    /** Values that are masked as whole words only. */
    private final Set<String> words;

    /** The values without escapes. */
    private final Set<String> plain;

    private final List<Pattern> patterns;

    private Secrets(boolean shown, boolean wholeAddresses, Set<String> values, Set<String> words) {
        this.shown = shown;
        this.wholeAddresses = wholeAddresses;
        this.values = values;
        this.words = words;
        plain = values.stream().flatMap(Unescaped::forms).collect(Collectors.toSet());
        patterns = Stream.of(
                        shown ? Stream.<Pattern>of() : LOGINS_IN_ADDRESSES.stream(),
                        values.stream().flatMap(Secrets::number),
                        word(words))
                .flatMap(each -> each)
                .toList();
    }

    /** A phone number with other spaces and brackets, or none. */
    private static Stream<Pattern> number(String value) {
        return isPhone(value)
                ? Stream.of(Pattern.compile(
                        String.join("[\\s().\\-/]{0,2}", withoutOthers(value).split(""))))
                : Stream.of();
    }

    private static boolean isPhone(String value) {
        int digits = withoutOthers(value).length();
        return PHONE.matcher(value).matches() && digits >= SHORTEST_NUMBER && digits <= LONGEST_NUMBER;
    }

    private static String withoutOthers(String number) {
        return number.replaceAll("\\D", "");
    }

    private static Stream<Pattern> word(Set<String> words) {
        String anyOf = words.stream()
                .map(word -> Unescaped.of(word).text())
                .filter(word -> !word.isEmpty())
                .map(Pattern::quote)
                .collect(Collectors.joining("|"));
        return anyOf.isEmpty()
                ? Stream.of()
                : Stream.of(Pattern.compile("(?<![\\p{L}\\p{N}])(?:" + anyOf + ")(?![\\p{L}\\p{N}])"));
    }

    /** Those of the settings and of this process: a route can read each environment variable and system property. */
    public static Secrets of(Settings settings) {
        return of(Stream.concat(SecretNames.values(settings.all()), SecretNames.ofProcess())
                .collect(Collectors.toSet()));
    }

    static Secrets of(Settings settings, Map<String, String> environment, Map<String, String> systemProperties) {
        return of(Stream.of(settings.all(), environment, systemProperties)
                .flatMap(SecretNames::values)
                .collect(Collectors.toSet()));
    }

    private static Secrets of(Set<String> values) {
        return new Secrets(false, true, values, Set.of());
    }

    public static Secrets shown() {
        return new Secrets(true, true, Set.of(), Set.of());
    }

    /** Also masks other values, such as personal data of a message, and the users of mail addresses, unless all values are shown. */
    public Secrets and(Collection<String> more) {
        return shown ? this : with(more);
    }

    private Secrets with(Collection<String> more) {
        Map<Boolean, Set<String>> users = more.stream()
                .flatMap(value -> MAIL_USER.matcher(value).results().map(found -> found.group(1)))
                .collect(Collectors.partitioningBy(user -> user.length() >= SHORTEST_PART, Collectors.toSet()));
        return new Secrets(
                false,
                wholeAddresses,
                Stream.of(values, more, users.get(true))
                        .flatMap(Collection::stream)
                        .collect(Collectors.toSet()),
                Stream.of(words, users.get(false)).flatMap(Set::stream).collect(Collectors.toSet()));
    }

    /** Also masks those parts of addresses that may be a credential, as in the list of routes. */
    public Secrets withoutWholeAddresses() {
        return new Secrets(shown, false, values, words);
    }

    public String mask(String text) {
        return Unescaped.masked(text, places(text));
    }

    private BitSet places(String text) {
        BitSet places = new BitSet(text.length());
        Unescaped unescaped = Unescaped.of(text);
        unescaped.find(plain, places);
        unescaped.match(patterns, places);
        return places;
    }

    /** The bytes as they are shown. In bytes that are no text, stars stand for the values. */
    public String mask(Bytes bytes) {
        if (bytes.isText()) {
            return mask(bytes.text());
        }
        byte[] masked = bytes.array().clone();
        new Secrets(shown, true, asBytes(values), asBytes(words))
                .places(new String(masked, StandardCharsets.ISO_8859_1)).stream()
                        .forEach(place -> masked[place] = '*');
        return new Bytes(masked).shown();
    }

    /** The texts with a character for each byte of them. */
    private static Set<String> asBytes(Set<String> texts) {
        return texts.stream()
                .map(text -> new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1))
                .collect(Collectors.toSet());
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
        String masked = shown ? address : mask(ErrorText.sanitized(address).replace("xxxxxx", Mask.HIDDEN));
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

    /** Also hides a header that a route sets to a constant: its value is that of no setting. */
    public String maskHeader(Header header) {
        if (!shown && ErrorText.isSecretName(header.name())) {
            int scheme = header.text().indexOf(' ');
            return (scheme < 0 ? "" : header.text().substring(0, scheme + 1)) + Mask.HIDDEN;
        }
        return header.value().isText() ? maskEncoded(header.text()) : mask(header.value());
    }
}
