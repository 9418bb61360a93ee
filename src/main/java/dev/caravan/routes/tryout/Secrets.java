package dev.caravan.routes.tryout;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.caravan.base.message.Mask;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.text.StoredJson;
import dev.caravan.routes.destination.Header;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.util.URISupport;

/** Masks credentials in the output: values of settings that are secrets, logins in headers, and secrets in addresses. */
public final class Secrets {
    private static final Pattern SECRET_NAME =
            Pattern.compile("(?i).*(password|passphrase|secret|token|api-?key|access-?key|credential).*");
    private static final Set<String> LOGINS = Set.of("authorization", "proxy-authorization", "cookie");
    /** Shorter values are not masked, because they would hide parts of other texts. */
    private static final int SHORTEST = 5;

    private final boolean shown;
    private final List<String> values;

    private Secrets(boolean shown, List<String> values) {
        this.shown = shown;
        this.values = values;
    }

    public static Secrets of(Settings settings) {
        return of(settings.all().entrySet().stream()
                .filter(setting -> SECRET_NAME.matcher(setting.getKey()).matches())
                .flatMap(setting -> Stream.of(setting.getValue().split("[,\\s]+")))
                .filter(value -> value.length() >= SHORTEST)
                .toList());
    }

    private static Secrets of(List<String> values) {
        Set<String> all =
                new TreeSet<>(Comparator.comparingInt(String::length).reversed().thenComparing(text -> text));
        values.stream()
                .flatMap(value -> Stream.of(
                        value, inForm(value), inForm(value).replace("+", "%20"), escaped(value), inJson(value)))
                .forEach(all::add);
        return new Secrets(false, List.copyOf(all));
    }

    public static Secrets shown() {
        return new Secrets(true, List.of());
    }

    /** Also masks other values, such as personal data of a message, unless all values are shown. */
    public Secrets and(List<String> more) {
        return shown ? this : of(Stream.concat(values.stream(), more.stream()).toList());
    }

    /** The value as it is encoded in a form. In an address, a space may be {@code %20} instead. */
    private static String inForm(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    private static String inJson(String value) {
        String text = StoredJson.text(TextNode.valueOf(value));
        return text.substring(1, text.length() - 1);
    }

    /** The value as it is escaped in HTML and XML. */
    private static String escaped(String value) {
        return value.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    public String mask(String text) {
        String masked = text;
        for (String value : values) {
            masked = masked.replace(value, Mask.HIDDEN);
        }
        return masked;
    }

    public String maskAddress(String address) {
        return shown ? address : mask(URISupport.sanitizeUri(address).replace("xxxxxx", Mask.HIDDEN));
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
        return mask(header.value().shown());
    }
}
