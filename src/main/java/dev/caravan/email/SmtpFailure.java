package dev.caravan.email;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.AddressException;
import java.io.IOException;
import java.util.OptionalInt;
import org.apache.camel.ExchangeException;
import org.eclipse.angus.mail.smtp.SMTPAddressFailedException;
import org.eclipse.angus.mail.smtp.SMTPSendFailedException;
import org.eclipse.angus.mail.smtp.SMTPSenderFailedException;

/**
 * What the answer of a mail server means (RFC 5321, 4.2.1): 5yz will be the same next time, 4yz may not. Used by the routes'
 * error handling.
 */
public final class SmtpFailure {
    /** The server is about to close the connection: it refuses everybody. */
    private static final int NOT_AVAILABLE = 421;

    private SmtpFailure() {}

    /** Whether this mail will never be accepted as it is: a 5yz answer, or an address that cannot be one. */
    public static boolean isPermanent(@ExchangeException Exception error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            OptionalInt code = code(cause);
            if (cause instanceof AddressException || code.isPresent() && code.getAsInt() >= 500) {
                return true;
            }
        }
        return false;
    }

    /** Whether the server is away, whatever the mail: 421, another greeting than 220, no answer, or a broken connection. */
    public static boolean isOfTheServer(@ExchangeException Exception error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            OptionalInt code = code(cause);
            if (cause instanceof IOException
                    || isRefusedGreeting(cause)
                    || code.isPresent() && (code.getAsInt() <= 0 || code.getAsInt() == NOT_AVAILABLE)) {
                return true;
            }
        }
        return false;
    }

    /** The library has no class for this, only a text. */
    private static boolean isRefusedGreeting(Throwable error) {
        return error.getClass() == MessagingException.class
                && String.valueOf(error.getMessage()).startsWith("Got bad greeting from SMTP host");
    }

    private static OptionalInt code(Throwable error) {
        if (error instanceof SMTPAddressFailedException address) {
            return OptionalInt.of(address.getReturnCode());
        } else if (error instanceof SMTPSenderFailedException sender) {
            return OptionalInt.of(sender.getReturnCode());
        } else if (error instanceof SMTPSendFailedException send) {
            return OptionalInt.of(send.getReturnCode());
        }
        return OptionalInt.empty();
    }
}
