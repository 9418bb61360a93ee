package dev.caravan.base.text;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.util.URISupport;

/**
 * Masks personal data in the text of an error. Destinations quote the address, the number or the message that they reject, and
 * the text is stored, logged and shown. Each pattern takes time linear in the length of the text.
 */
public final class ErrorText {
    static final String HIDDEN = "•••";

    /** The names of settings, variables, placeholders and headers whose values are secrets. */
    private static final Pattern SECRET_NAME = Pattern.compile(
            "(?i).*(password|passphrase|secret|token|api[-_]?key|access[-_]?key|private[-_.]?key|credential).*"
                    + "|.*(key|pwd|passwd|(?<!by|ask)pass|authorization|cookie)");

    /** The current folder of a shell, what Kubernetes sets for a service with any name, what is known of a secret, and keys of data. */
    private static final Pattern NO_SECRET_NAME =
            Pattern.compile("(?i)(OLD)?PWD|.*_(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT(_\\d+_.+)?)"
                    + "|.*(ttl|expiry|lifetime|timeout|seconds|minutes|length|type|algorithm|encoding"
                    + "|(secret|token|key)[-_.]?name|token[-_.]?(url|uri|endpoint))"
                    + "|.*(routing|partition|message|record|object|sort|primary|idempotency|public|kafka)[-_.]?key");

    /** Longer than any text that is stored. */
    private static final int MAX_LENGTH = 10_000;

    /** Number of bytes of a binary content that are removed from a text: more than the longest one, in any encoding. */
    private static final int MASKED_BYTES = 40_000;

    /** The longest word that is not cut. A long text is cut between words, because the patterns do not match half an address. */
    private static final int LONGEST_WORD = 300;

    /** Shortest content that is masked, in characters; shorter text matches by chance. */
    private static final int MIN_CONTENT = 12;

    /** A longer value counts as quoted whole when this many of its characters are: comparing takes time at each place. */
    private static final int MOST_COMPARED = 100;

    private static final int MOST_CREDENTIALS = 100;

    /**
     * An option of an endpoint that Camel does not change, such as a secret. To the last bracket of its line, because a secret may contain
     * brackets, or else to the next one in a later line.
     */
    private static final Pattern RAW = Pattern.compile(
            "RAW(?:\\((?:(?:(?!RAW[({])[^\\r\\n])*\\)|[^)]*(?:\\)|\\z))|\\{(?:(?:(?!RAW[({])[^\\r\\n])*}|[^}]*(?:}|\\z)))");

    private static final String JAAS = " in JAAS config";

    /** From the first quotation mark to the last one, because a password may contain some. */
    private static final Pattern QUOTED_OF_LOGIN =
            Pattern.compile("'(?!(?:username|password)'" + JAAS + ")[^\\r\\n]{1,2000}'(?=" + JAAS + ")");

    private static final Pattern OPTIONS = Pattern.compile("(?<=[\\w/:.)}-])\\?[\\w.-]{1,100}+=\\S*+");
    /** What may be after the colon of a host: a port, or a placeholder for one. */
    private static final String PORT = "(?:\\d{0,5}(?:[/?#,;&\\s\"'<>]|$)|\\{\\{|\\$\\{)";

    /**
     * The login of an address. It ends before the path (RFC 3986, 3.2), unless no host is before the path: somebody has not encoded a slash of the
     * password.
     */
    private static final Pattern LOGIN = Pattern.compile(
            "://(?:[^/\\s?#\"'<>]{1,500}" + "|[^/\\s@?#\"'<>:\\[]{0,200}+:(?!" + PORT + ")[^\\s\"'<>]{1,500})@");

    /** A password in the URL of a database, in the place of the port. */
    private static final Pattern NO_PORT = Pattern.compile(
            "(jdbc:[\\w:@-]{1,40}//[^/\\s?#\"'<>\\[]{0,200}?:)(?!" + PORT + ")[^/\\s?#\"'<>]{1,500}+",
            Pattern.CASE_INSENSITIVE);

    /** A login in a JDBC URL: in a list of options, or before the host. */
    private static final Pattern JDBC_LOGIN = Pattern.compile(
            "(?<=[;?&,(])((?:password|passwd|pwd)=)[^\\s\"'<>;&]++"
                    + "|(?<=jdbc:[\\w-]{1,20}:)((?:[\\w-]{1,20}:)?)[^\\s/@:;?]{1,100}+/[^\\s/@]{1,100}+@",
            Pattern.CASE_INSENSITIVE);

    /** A header with a login, or another secret with its name, as a destination that quotes the request writes it. */
    private static final Pattern NAMED_SECRET = Pattern.compile(
            "((?:authorization|cookie|api[-_]?key|access[-_]?key|(?:auth|access|private)[-_]?token|secret|password)"
                    + "[\"'\\\\\\])]{0,4}\\s{0,3}+(?:=>|[:=>])[\\s\"'\\\\\\[(]{0,5}+"
                    + "(?:(?:basic|bearer|digest|token|apikey|negotiate)\\s{1,3}+)?)[^\\s\"'<>\\\\,\\])}]{8,}+"
                    + "(?:(?<=;)\\s[^\\s\"'<>\\\\]+)*+",
            Pattern.CASE_INSENSITIVE);

    /** A login or a token without a name, as a destination that cannot read it quotes it: with a digit, unlike words after "Basic". */
    private static final Pattern TOKEN = Pattern.compile(
            "(?<=\\b(?:basic|bearer) )(?=[\\w.~+/-]{0,2000}?\\d)[\\w.~+/-]{16,}+={0,2}|\\beyJ[\\w-]{8,}+\\.[\\w-]{8,}+(?:\\.[\\w-]*+)*+",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern URL = Pattern.compile("://[^\\s<>\"']{0,2000}+");
    private static final Pattern NUMBER_IN_URL = Pattern.compile("(?<![\\p{Alnum}.-])\\d{7,}+(?![\\p{Alnum}-])");
    /**
     * A part of a path that may be the credential, as in the addresses of webhooks of chats: with letters and digits; or longer, and with capitals
     * close to each other as random letters have them; or even longer, without anything that separates words.
     */
    private static final Pattern CREDENTIAL_IN_PATH = Pattern.compile("(?<=/)(?:"
            + "(?=[^/\\d]{0,2000}+\\d)(?=[^/\\p{L}]{0,2000}+\\p{L})[^/]{8,2000}+"
            + "|(?=[^/\\p{Ll}]{0,2000}+\\p{Ll})(?=[^/]{0,2000}?\\p{Lu}\\p{L}?\\p{Lu})[^/]{16,2000}+"
            + "|[^/._~%\\p{Lu}-]{24,2000}+(?![^/]))");

    private static final Pattern ADDRESS = Pattern.compile(
            "\\w+://(?:(?<login>[^/@?]{1,500})@)?[^/?]*(?<path>[^?]*)(?:\\?(?<query>.*))?", Pattern.DOTALL);
    /** Query of a request line, or of an endpoint of Camel. */
    private static final Pattern QUERY = Pattern.compile("\\?[^\\s?&=<>\"']{1,100}+=[^\\s<>\"']*+");
    /** Matches to the end of the message: the quoted address may contain spaces, so its end is unknown. */
    private static final Pattern BAD_URL = Pattern.compile(
            "(Illegal character in [a-z ]{1,30}at index \\d{1,9}+: ).*?(?=\\R\\tat |\\z)", Pattern.DOTALL);
    /** Does not match the domain, which identifies the provider. An @ before a short hexadecimal number is Java's {@code Type@hash}. */
    private static final Pattern MAIL =
            Pattern.compile("(?:\"[^\"\\r\\n]{1,64}+\"|(?:[^\\s<>()\\[\\],;:\"'@\\\\/=|{}&?%]|%(?!40)){1,128}+)(@|%40)"
                    + "(?![0-9a-f]{1,8}+(?![\\p{L}\\p{N}.-]))(?=\\[?[\\p{L}\\p{N}])");

    private static final Pattern PHONE = Pattern.compile(
            "(?:\\+|%2[Bb]|(?<![\\w.+-])00)\\(?" + "(?:\\d{7,15}+(?!\\d)|\\d(?:[ ().\\-/\\u00a0]{0,2}+\\d){6,14}+)");
    private static final Pattern LONG_NUMBER = Pattern.compile("(?<![\\w.+-])\\d{10,15}+(?!\\w)");

    private ErrorText() {}

    /** Whether the value of a setting, a variable, a placeholder or a header is a secret, by its name. */
    public static boolean isSecretName(String name) {
        return SECRET_NAME.matcher(name).matches()
                && !NO_SECRET_NAME.matcher(name).matches();
    }

    /**
     * A text of Camel without the options of endpoints and the users of addresses, which may be secrets. Unlike {@link #masked(String)},
     * leaves the rest of an address readable, for a person who corrects a route.
     */
    public static String withoutSecrets(String text) {
        String masked = withoutLogins(text);
        return masked.indexOf('?') < 0 ? masked : OPTIONS.matcher(masked).replaceAll("?" + HIDDEN);
    }

    private static String withoutRaw(String text) {
        String masked = text.contains("RAW") ? RAW.matcher(text).replaceAll("RAW(" + HIDDEN + ")") : text;
        return masked.contains(JAAS) ? QUOTED_OF_LOGIN.matcher(masked).replaceAll("'" + HIDDEN + "'") : masked;
    }

    /**
     * A text of a library without the logins of addresses, without the options of endpoints that Camel writes as {@code RAW(...)}, and without what
     * Kafka quotes of a login that it cannot read, which may be a part of the password.
     */
    public static String withoutLogins(String text) {
        String masked = withoutRaw(text);
        if (masked.contains("://")) {
            masked = LOGIN.matcher(masked).replaceAll("://" + HIDDEN + "@");
        }
        return masked.contains("jdbc:")
                ? NO_PORT.matcher(JDBC_LOGIN
                                .matcher(masked)
                                .replaceAll(login -> login.group(1) != null
                                        ? Matcher.quoteReplacement(login.group(1)) + HIDDEN
                                        : login.group(2) + HIDDEN + "@"))
                        .replaceAll("$1" + HIDDEN)
                : masked;
    }

    /**
     * The address of an endpoint without its password, and without the options that are secrets. {@link URISupport#sanitizeUri} alone takes an at
     * sign of the path for the end of the login.
     */
    public static String sanitized(String address) {
        int query = address.indexOf('?') < 0 ? address.length() : address.indexOf('?');
        Matcher login = LOGIN.matcher(address);
        int path = login.find() && login.start() < query ? login.end() : 0;
        int end = Math.max(path, query);
        return URISupport.sanitizeUri(address.substring(0, path))
                + address.substring(path, end)
                + URISupport.sanitizeUri(address.substring(end));
    }

    /** A content of a message as text: the beginning of bytes as UTF-8, because an error quotes them so; null for other objects. */
    public static String content(Object content) {
        return content instanceof byte[] bytes
                ? new String(bytes, 0, Math.min(bytes.length, MASKED_BYTES), StandardCharsets.UTF_8)
                : content instanceof String text ? text : null;
    }

    /**
     * The text without the contents of messages, whole or from their beginning, as {@link QuotedContent} finds them.
     *
     * @param contents the payloads and other texts that must not be quoted
     * @param text may be null
     * @return at most 10,000 characters; null for null
     */
    public static String without(Collection<String> contents, String text) {
        return without(contents, text, MIN_CONTENT);
    }

    /** The same for short values, such as headers: only where they are quoted whole, because many begin alike. */
    public static String withoutWhole(Collection<String> values, String text) {
        return without(values, text, MOST_COMPARED);
    }

    private static String without(Collection<String> contents, String text, int least) {
        if (text == null) {
            return null;
        }
        String masked = bounded(text);
        for (String content : contents) {
            String quoted = bounded(content.strip());
            if (quoted.length() >= MIN_CONTENT) {
                masked = QuotedContent.hidden(quoted, Math.min(least, quoted.length()), masked);
            }
        }
        return masked;
    }

    /**
     * The text without email addresses, international phone numbers, other long numbers, logins and other secrets that have a name, and users,
     * queries and possible credentials of URLs.
     *
     * @param text only its first 10,000 characters are used
     */
    public static String masked(String text) {
        String masked = withoutLogins(bounded(text));
        if (masked.contains("Illegal character in ")) {
            masked = BAD_URL.matcher(masked).replaceAll("$1" + HIDDEN);
        }
        masked = NAMED_SECRET.matcher(masked).replaceAll("$1" + HIDDEN);
        masked = TOKEN.matcher(masked).replaceAll(HIDDEN);
        masked = URL.matcher(masked).replaceAll(url -> Matcher.quoteReplacement(url(url.group())));
        if (masked.indexOf('?') >= 0) {
            masked = QUERY.matcher(masked).replaceAll("?" + HIDDEN);
        }
        if (masked.indexOf('@') >= 0 || masked.contains("%40")) {
            masked = MAIL.matcher(masked).replaceAll(HIDDEN + "$1");
        }
        masked = PHONE.matcher(masked).replaceAll(HIDDEN);
        return LONG_NUMBER.matcher(masked).replaceAll(HIDDEN);
    }

    /**
     * What may be credentials in an address, which a receiver may quote without the rest of it: parts of the path, the login, and values of the query,
     * as they are and decoded. The first of those that {@link #without} would remove, which takes time for each one.
     *
     * @param address may be null
     */
    public static List<String> credentials(String address) {
        Matcher parts = ADDRESS.matcher(address == null ? "" : bounded(address));
        if (!parts.matches()) {
            return List.of();
        }
        Stream<String> values = parts.group("query") == null
                ? Stream.of()
                : Stream.of(parts.group("query").split("&")).map(parameter -> parameter.replaceFirst("^[^=]*=", ""));
        return Stream.of(
                        Stream.ofNullable(parts.group("login")),
                        CREDENTIAL_IN_PATH
                                .matcher(parts.group("path"))
                                .results()
                                .map(MatchResult::group),
                        values)
                .flatMap(each -> each)
                .flatMap(each -> Stream.of(each, decoded(each)))
                .filter(text -> text.length() >= MIN_CONTENT)
                .distinct()
                .limit(MOST_CREDENTIALS)
                .toList();
    }

    private static String decoded(String part) {
        try {
            return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return part; // a percent sign that is no escape
        }
    }

    private static String url(String url) {
        int query = query(url);
        String place = url.substring(0, query);
        int path = place.indexOf('/', "://".length());
        if (path >= 0) {
            place = place.substring(0, path)
                    + CREDENTIAL_IN_PATH.matcher(place.substring(path)).replaceAll(HIDDEN);
        }
        place = NUMBER_IN_URL.matcher(place).replaceAll(HIDDEN);
        return query == url.length() ? place : place + url.charAt(query) + HIDDEN;
    }

    private static int query(String url) {
        int at = 0;
        while (at < url.length() && url.charAt(at) != '?' && url.charAt(at) != '#') {
            at++;
        }
        return at;
    }

    private static String bounded(String text) {
        if (text.length() <= MAX_LENGTH) {
            return text;
        }
        int space = text.lastIndexOf(' ', MAX_LENGTH);
        return text.substring(0, space > MAX_LENGTH - LONGEST_WORD ? space : MAX_LENGTH);
    }
}
