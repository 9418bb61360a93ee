package dev.caravan.email;

import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;

/**
 * Takes a recipient from a payload. Camel's mail component takes a text such as {@code a@example.com,b@example.com} as two
 * recipients. Errors quote no address.
 */
public final class MailAddress {
    private MailAddress() {}

    /**
     * Returns the address without a name in front of it.
     *
     * @throws AddressException if the text is anything but one address, by which the shipped error handling makes the message a
     *     dead letter
     */
    public static String one(String text) throws AddressException {
        if (text == null || text.isBlank()) {
            throw new AddressException("No mail address: the text for the recipient is missing or empty");
        }
        if (text.codePoints().anyMatch(Character::isISOControl)) {
            throw new AddressException("Not one mail address: the text has a line break or another control character");
        }
        InternetAddress address = parsed(text);
        if (address.isGroup() || separates(address.getAddress())) {
            throw new AddressException("Not one mail address: the text has a group or a separator of addresses");
        }
        return address.getAddress();
    }

    private static InternetAddress parsed(String text) throws AddressException {
        try {
            return new InternetAddress(text.strip(), true);
        } catch (AddressException e) { // quotes the address
            throw new AddressException("Not one mail address: it is a list, or not written as RFC 5322 says");
        }
    }

    /** Within quotes these are valid, but not everybody who reads a list of addresses looks for quotes. */
    private static boolean separates(String address) {
        return address.indexOf(',') >= 0 || address.indexOf(';') >= 0;
    }
}
