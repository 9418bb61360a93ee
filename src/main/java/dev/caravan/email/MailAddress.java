package dev.caravan.email;

import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;

/**
 * Validates a recipient from a payload. Camel's mail component would read {@code a@example.com,b@example.com} as two recipients.
 * Errors do not contain the address.
 */
public final class MailAddress {
    private MailAddress() {}

    /**
     * Returns the address without a display name.
     *
     * @throws AddressException if the text is not exactly one address; the shipped error handling turns it into a dead letter
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
        if (address.isGroup() || separates(address.getAddress())) {
            throw new AddressException(
                    "Not a single mail address: the text contains a group or a separator of addresses");
        }
        return address.getAddress();
    }

    private static InternetAddress parsed(String text) throws AddressException {
        try {
            return new InternetAddress(text.strip(), true);
        } catch (AddressException e) { // its message contains the address
            throw new AddressException(
                    "Not a single mail address: the text is a list, or does not conform to RFC 5322");
        }
    }

    /** Separators are valid within quotes, but not every mail server respects the quotes. */
    private static boolean separates(String address) {
        return address.indexOf(',') >= 0 || address.indexOf(';') >= 0;
    }
}
