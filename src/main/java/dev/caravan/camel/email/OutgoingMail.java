package dev.caravan.camel.email;

import static dev.caravan.camel.MailAddress.isAscii;

import dev.caravan.camel.InvalidMailException;
import dev.caravan.camel.MailAddress;
import jakarta.mail.Address;
import jakarta.mail.BodyPart;
import jakarta.mail.Header;
import jakarta.mail.MessagingException;
import jakarta.mail.Multipart;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeUtility;
import java.io.IOException;
import java.io.UnsupportedEncodingException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A mail before it is sent. Afterwards only the parts of addresses before the @ may contain other characters than ASCII.
 */
public final class OutgoingMail {
    private static final Set<String> OF_ADDRESSES = Set.of(
            "from", "sender", "reply-to", "to", "cc", "bcc", "resent-from", "resent-to", "resent-cc", "resent-bcc");

    private final MimeMessage mail;
    private final Address[] recipients;

    private OutgoingMail(MimeMessage mail, Address[] recipients) {
        this.mail = mail;
        this.recipients = recipients;
    }

    /**
     * Encodes headers, and converts domains to ASCII.
     *
     * @throws MessagingException if the mail can never be sent
     */
    public static OutgoingMail of(MimeMessage mail, Address... recipients) throws MessagingException {
        for (String name : names(mail)) {
            String[] values = mail.getHeader(name);
            if (!isAscii(String.join("", values))) {
                encode(mail, name, values);
            }
        }
        encodeParts(mail);
        Address[] converted = new Address[recipients.length];
        for (int i = 0; i < recipients.length; i++) {
            converted[i] = recipients[i] instanceof InternetAddress address ? recipient(address) : recipients[i];
        }
        return new OutgoingMail(mail, converted);
    }

    private static List<String> names(MimeMessage mail) throws MessagingException {
        return Collections.list(mail.getAllHeaders()).stream()
                .map(Header::getName)
                .distinct()
                .toList();
    }

    private static void encode(MimeMessage mail, String name, String[] values) throws MessagingException {
        mail.removeHeader(name);
        if (OF_ADDRESSES.contains(name.toLowerCase(Locale.ROOT))) {
            InternetAddress[] addresses = InternetAddress.parseHeader(String.join(", ", values), false);
            for (int i = 0; i < addresses.length; i++) {
                addresses[i] = converted(addresses[i]);
            }
            mail.setHeader(name, InternetAddress.toString(addresses, name.length() + 2));
        } else {
            for (String value : values) {
                mail.addHeader(name, encoded(name, value));
            }
        }
    }

    private static InternetAddress recipient(InternetAddress address) throws MessagingException {
        if (!address.isGroup() && MailAddress.separates(address.getAddress())) {
            throw new InvalidMailException(
                    "An address of the mail contains a route, a second @ or a separator of addresses");
        }
        return converted(address);
    }

    private static InternetAddress converted(InternetAddress address) throws MessagingException {
        InternetAddress converted = (InternetAddress) address.clone();
        converted.setAddress(MailAddress.withAsciiDomain(address.getAddress()));
        if (converted.getAddress().codePoints().anyMatch(Character::isISOControl)) {
            throw new InvalidMailException("An address of the mail contains a control character");
        }
        try {
            if (address.getPersonal() != null) {
                converted.setPersonal(address.getPersonal(), "UTF-8");
            }
        } catch (UnsupportedEncodingException e) {
            throw new IllegalStateException(e); // Java always has it
        }
        return converted;
    }

    /** RFC 2047; it does not apply to parameters, such as the name of a file, which Camel encodes. */
    private static String encoded(String name, String value) throws MessagingException {
        try {
            return name.toLowerCase(Locale.ROOT).startsWith("content-")
                    ? value.replaceAll("\\P{ASCII}", "_")
                    : MimeUtility.fold(name.length() + 2, MimeUtility.encodeText(value, "UTF-8", null));
        } catch (UnsupportedEncodingException e) {
            throw new IllegalStateException(e); // Java always has it
        }
    }

    private static void encodeParts(MimeMessage mail) throws MessagingException {
        try {
            if (mail.isMimeType("multipart/*") && mail.getContent() instanceof Multipart parts) {
                encode(parts);
            }
        } catch (IOException e) {
            throw new MessagingException("Could not read the parts of the mail", e);
        }
    }

    private static void encode(Multipart parts) throws MessagingException, IOException {
        for (int i = 0; i < parts.getCount(); i++) {
            BodyPart part = parts.getBodyPart(i);
            for (Header header : Collections.list(part.getAllHeaders())) {
                if (!isAscii(header.getValue())) {
                    part.setHeader(header.getName(), encoded(header.getName(), header.getValue()));
                }
            }
            if (part.isMimeType("multipart/*") && part.getContent() instanceof Multipart inner) {
                encode(inner);
            }
        }
    }

    /** The recipients of the envelope. */
    public Address[] recipients() {
        return recipients.clone();
    }

    /** Whether the part of an address before the @ contains other characters than ASCII. */
    boolean isInternational() throws MessagingException {
        return !isAscii(InternetAddress.toString(recipients))
                || Collections.list(mail.getAllHeaders()).stream().anyMatch(header -> !isAscii(header.getValue()));
    }
}
