package dev.caravan.routes.destination;

import java.util.List;

/**
 * A mail.
 *
 * @param recipients the addresses of the envelope, including blind copies
 * @param parts the text, its alternatives and attachments, in order
 * @param body the whole mail as it is sent
 */
public record MailSent(List<String> recipients, List<Header> headers, List<Part> parts, Bytes body) implements Sent {
    /** @param fileName empty for the text of the mail */
    public record Part(String type, String fileName, Bytes content) {}

    @Override
    public String kind() {
        return "mail";
    }

    @Override
    public String destination() {
        return String.join(", ", recipients);
    }
}
