package dev.caravan.camel.headers;

import dev.caravan.camel.InvalidMailException;
import dev.caravan.camel.MailAddress;
import jakarta.mail.Message.RecipientType;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.camel.component.mail.MailComponent;
import org.apache.camel.component.mail.MailConfiguration;
import org.apache.camel.component.mail.MailEndpoint;
import org.apache.camel.support.ObjectHelper;
import org.apache.camel.util.StringHelper;
import org.apache.camel.util.URISupport;

/**
 * The addresses of a mail as a route has written them. The mail library ignores a text after a comment or after an address in brackets, and takes
 * an address before it for a name. What it ignores may be another recipient, or the end of a domain: a mail would be sent to others than the
 * route says.
 */
final class AddressLists {
    private static final String TO = "to";
    private static final List<String> RECIPIENTS = List.of(TO, "cc", "bcc");
    private static final List<String> SENDERS = List.of("from", "sender", "reply-to");

    /** Where Camel splits a list: outside of quotes. */
    private static final Pattern SEPARATOR = Pattern.compile("[,;]++(?=(?:(?:[^\"]*+\"){2})*+[^\"]*+$)");

    /** Quotes, which remain, and the beginning and the end of a comment. */
    private static final Pattern TOKEN =
            Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*+\"|\\\\.|[()]|[^\"\\\\()]++|.", Pattern.DOTALL);

    private AddressLists() {}

    /**
     * Checks the recipients that Camel uses, those of the headers if there are any or else those of the options, and all senders.
     *
     * @throws InvalidMailException if the library would ignore a part of one
     */
    static void check(Map<String, Object> headers, MailConfiguration options) throws InvalidMailException {
        Map<String, Object> byName = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        byName.putAll(headers);
        List<Object> lists = new ArrayList<>(Arrays.asList(options.getFrom(), options.getReplyTo()));
        SENDERS.forEach(name -> lists.add(byName.get(name)));
        if (RECIPIENTS.stream().anyMatch(byName::containsKey)) {
            RECIPIENTS.forEach(name -> lists.add(byName.get(name)));
        } else {
            lists.addAll(options.getRecipients().values());
        }
        for (Object list : lists) {
            for (Iterator<?> each = ObjectHelper.createIterator(list, null); each.hasNext(); ) {
                check(String.valueOf(each.next()));
            }
        }
    }

    /**
     * Removes the recipient that Camel adds to the options if they have a login and no recipient yet: the mailbox of the login. A mail
     * without a recipient would be sent there and count as delivered, and so would a copy of one that has only a {@code cc}.
     */
    static void removeLogin(MailEndpoint endpoint) {
        MailConfiguration ofAll = ((MailComponent) endpoint.getComponent()).getConfiguration();
        boolean isNamed = ofAll != null && ofAll.getTo() != null && !isLogin(ofAll.getTo(), ofAll.getUsername());
        if (!isNamed && !names(endpoint.getEndpointUri(), TO)) {
            endpoint.getConfiguration().getRecipients().remove(RecipientType.TO);
        }
    }

    private static boolean isLogin(String recipient, String user) {
        return user != null && (recipient.equals(user) || recipient.startsWith(user + "@"));
    }

    private static boolean names(String uri, String option) {
        try {
            return URISupport.parseQuery(StringHelper.after(uri, "?", ""), true, true).keySet().stream()
                    .anyMatch(option::equalsIgnoreCase);
        } catch (URISyntaxException e) {
            return true; // Camel has read it
        }
    }

    private static void check(String list) throws InvalidMailException {
        for (String text : SEPARATOR.split(list)) {
            try {
                check(text, withoutSpaces(new InternetAddress(text).getAddress()));
            } catch (AddressException e) {
                // Camel reports it
            }
        }
    }

    private static void check(String text, String address) throws InvalidMailException {
        String read = withoutSpaces(withoutComments(text));
        if (!read.equals(address) && !read.endsWith("<" + address + ">")) {
            throw new InvalidMailException("The mail has a text after an address that would be ignored");
        }
        if (MailAddress.isNamedAsAddress(read)) {
            throw new InvalidMailException(
                    "The mail has a text with an @ before an address, which would be ignored. Put a name with an @ into quotes");
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
