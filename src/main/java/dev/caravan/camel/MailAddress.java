package dev.caravan.camel;

import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import java.net.IDN;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Validates a recipient from a payload. Camel's mail component would read {@code a@example.com,b@example.com} as two recipients.
 * Errors do not contain the address.
 *
 * <p>Public: route files and Java of users may name it (docs/public-api/java.txt).
 */
public final class MailAddress {
    /**
     * Characters that IDNA 2003, which Java has, and IDNA 2008 convert to different domains (RFC 5891 and UTS 46, section 7): ß, final
     * sigma and two joiners of width zero.
     */
    private static final String AMBIGUOUS = "\u00DF\u1E9E\u03C2\u200C\u200D";

    /** A comment, which is the old form of a display name. */
    private static final Pattern AFTERWARDS = Pattern.compile("(\\s*\\([^()\\\\]*\\))?");

    private static final String SEPARATORS = ",;<>\\";

    /** A quoted text or a comment, which may contain an @. */
    private static final Pattern QUOTED =
            Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*+\"|\\((?:[^()\\\\]|\\\\.)*+\\)", Pattern.DOTALL);

    private static final Pattern NAMED_AS_ADDRESS = Pattern.compile("[^<]*@[^<]*<.*", Pattern.DOTALL);

    private MailAddress() {}

    /**
     * Returns the address without a display name, and with its domain in ASCII.
     *
     * @throws AddressException if the text is not exactly one address; the built-in error handling turns it into a dead letter
     */
    public static String one(String text) throws AddressException {
        if (text == null || text.isBlank()) {
            throw new AddressException("No mail address: the text is missing or empty");
        }
        if (text.codePoints().anyMatch(Character::isISOControl)) {
            throw new AddressException(
                    "Not a single mail address: the text contains a line break or another control character");
        }
        InternetAddress address = parsed(text);
        if (address.isGroup()
                || separates(address.getAddress())
                || isFollowed(address.getAddress(), text.strip())
                || isNamedAsAddress(text)) {
            throw new AddressException("Not a single mail address: the text contains a group, a route, a separator of"
                    + " addresses, or a name with an @ that is not in quotes");
        }
        if (!isWellFormed(address.getAddress())) {
            throw new AddressException("Not a mail address: the text contains half a character");
        }
        return withAsciiDomain(address.getAddress());
    }

    private static InternetAddress parsed(String text) throws AddressException {
        try {
            return new InternetAddress(text.strip(), true);
        } catch (AddressException e) { // its message contains the address
            throw new AddressException(
                    "Not a single mail address: the text is a list, or does not conform to RFC 5322");
        }
    }

    /**
     * Separators are valid within quotes, but not every mail server respects the quotes, and the library does not require them. A server with
     * SMTPUTF8 may normalize the part before the @ (RFC 6532, 3.1): characters such as the Greek question mark become separators.
     */
    public static boolean separates(String address) {
        String read = Normalizer.normalize(address, Normalizer.Form.NFKC);
        return (address + read).chars().anyMatch(c -> SEPARATORS.indexOf(c) >= 0)
                || address.indexOf('@') != address.lastIndexOf('@')
                || read.indexOf('@') != read.lastIndexOf('@');
    }

    /**
     * The library ignores a text after an address in brackets or after a comment, which may be another address, or the end of this one: in
     * {@code a@example(c).com}.
     */
    private static boolean isFollowed(String address, String text) {
        boolean isBegin = text.startsWith(address)
                && AFTERWARDS.matcher(text.substring(address.length())).matches();
        return !isBegin && !text.endsWith("<" + address + ">");
    }

    /**
     * Whether the name before an address in brackets has an @ outside of quotes, which RFC 5322 does not allow: it may be the address that is
     * meant, but the library ignores it.
     */
    public static boolean isNamedAsAddress(String text) {
        return NAMED_AS_ADDRESS.matcher(QUOTED.matcher(text).replaceAll("")).matches();
    }

    /** Half a surrogate pair, which JSON may contain, has no UTF-8: it would be sent as a question mark, to another address. */
    public static boolean isWellFormed(String text) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    /** Converts the domain to ASCII (RFC 5890), so that every mail server accepts it. The part before the @ has no such form. */
    public static String withAsciiDomain(String address) throws AddressException {
        int at = address.lastIndexOf('@');
        if (at < 0) {
            return address;
        }
        return address.substring(0, at + 1) + asciiDomain(address.substring(at + 1));
    }

    public static String asciiDomain(String domain) throws AddressException {
        if (isAscii(domain)) {
            return domain;
        }
        String ascii;
        try {
            ascii = IDN.toASCII(domain, IDN.USE_STD3_ASCII_RULES);
        } catch (RuntimeException e) { // its message contains the domain
            throw new AddressException("Not a mail address: its domain has no ASCII form");
        }
        if (domain.chars().anyMatch(c -> AMBIGUOUS.indexOf(c) >= 0) || isConvertedFurther(ascii)) {
            throw new AddressException("Not a mail address: standards convert a character of the domain to different"
                    + " domains. Write the domain in its ASCII form, which begins with xn--");
        }
        return ascii;
    }

    /** Whether letters have lower case since a later version of Unicode than the 3.2 of IDNA 2003: IDNA 2008 converts them to others. */
    private static boolean isConvertedFurther(String ascii) {
        String read = IDN.toUnicode(ascii.toLowerCase(Locale.ROOT));
        return !Normalizer.normalize(read.toLowerCase(Locale.ROOT), Normalizer.Form.NFKC)
                .equals(read);
    }

    public static boolean isAscii(String text) {
        return StandardCharsets.US_ASCII.newEncoder().canEncode(text);
    }
}
