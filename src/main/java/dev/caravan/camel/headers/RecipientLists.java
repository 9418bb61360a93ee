package dev.caravan.camel.headers;

import dev.caravan.camel.InvalidMailException;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.camel.component.mail.MailConfiguration;
import org.apache.camel.support.ObjectHelper;

/**
 * The recipients of a mail as a route has written them. The mail library ignores a text after a comment or after an address in brackets, which
 * may be another recipient, or the end of a domain: a mail would be sent to others than the route says.
 */
final class RecipientLists {
    private static final List<String> NAMES = List.of("to", "cc", "bcc");

    /** Where Camel splits a list: outside of quotes. */
    private static final Pattern SEPARATOR = Pattern.compile("[,;]++(?=(?:(?:[^\"]*+\"){2})*+[^\"]*+$)");

    /** Quotes, which remain, and the beginning and the end of a comment. */
    private static final Pattern TOKEN =
            Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*+\"|\\\\.|[()]|[^\"\\\\()]++|.", Pattern.DOTALL);

    private RecipientLists() {}

    /**
     * Checks the lists that Camel uses: those of the headers if there are any, or else those of the options.
     *
     * @throws InvalidMailException if the library would ignore a part of one
     */
    static void check(Map<String, Object> headers, MailConfiguration options) throws InvalidMailException {
        boolean isInHeaders = false;
        for (Map.Entry<String, Object> header : headers.entrySet()) {
            if (NAMES.stream().anyMatch(header.getKey()::equalsIgnoreCase)) {
                isInHeaders = true;
                for (Iterator<?> each = ObjectHelper.createIterator(header.getValue()); each.hasNext(); ) {
                    check(String.valueOf(each.next()));
                }
            }
        }
        if (!isInHeaders) {
            for (String list : options.getRecipients().values()) {
                check(list);
            }
        }
    }

    private static void check(String list) throws InvalidMailException {
        for (String recipient : SEPARATOR.split(list)) {
            if (isFollowed(recipient)) {
                throw new InvalidMailException(
                        "A recipient of the mail has a text after an address that would be ignored");
            }
        }
    }

    private static boolean isFollowed(String recipient) {
        try {
            String address = withoutSpaces(new InternetAddress(recipient).getAddress());
            String read = withoutSpaces(withoutComments(recipient));
            return !read.equals(address) && !read.endsWith("<" + address + ">");
        } catch (AddressException e) {
            return false; // Camel reports it
        }
    }

    private static String withoutSpaces(String text) {
        return text.replaceAll("\\s+", "");
    }

    private static String withoutComments(String recipient) {
        StringBuilder rest = new StringBuilder();
        int depth = 0;
        for (Matcher token = TOKEN.matcher(recipient); token.find(); ) {
            if (token.group().equals("(")) {
                depth++;
            } else if (token.group().equals(")") && depth > 0) {
                depth--;
            } else if (depth == 0) {
                rest.append(token.group());
            }
        }
        return rest.toString();
    }
}
