package dev.caravan.lab.servers.mail;

import jakarta.mail.BodyPart;
import jakarta.mail.MessagingException;
import jakarta.mail.Multipart;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/**
 * A received mail.
 *
 * @param recipient from the SMTP envelope
 * @param headers names (any case) and first values
 * @param text the plain text part, empty if there is none
 * @param html the HTML part, empty if there is none
 */
public record ReceivedMail(String recipient, Map<String, String> headers, String subject, String text, String html) {

    static ReceivedMail from(MimeMessage mail, String recipient) throws MessagingException, IOException {
        return new ReceivedMail(
                recipient, headers(mail), mail.getSubject(), part(mail, "text/plain"), part(mail, "text/html"));
    }

    /** The part of the Message-ID before the {@code @}, without the angle bracket. */
    public String messageIdLocalPart() {
        String messageId = headers.getOrDefault("Message-ID", "");
        int at = messageId.indexOf('@');
        return messageId.startsWith("<") && at > 0 ? messageId.substring(1, at) : messageId;
    }

    private static Map<String, String> headers(MimeMessage mail) throws MessagingException {
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (var all = mail.getAllHeaders(); all.hasMoreElements(); ) {
            var header = all.nextElement();
            headers.putIfAbsent(header.getName(), header.getValue());
        }
        return headers;
    }

    private static String part(MimeMessage mail, String mimeType) throws MessagingException, IOException {
        if (mail.isMimeType(mimeType)) {
            return mail.getContent().toString();
        }
        if (mail.getContent() instanceof Multipart parts) {
            for (int i = 0; i < parts.getCount(); i++) {
                BodyPart part = parts.getBodyPart(i);
                if (part.isMimeType(mimeType)) {
                    return part.getContent().toString();
                }
            }
        }
        return "";
    }
}
