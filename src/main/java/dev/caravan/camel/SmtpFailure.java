package dev.caravan.camel;

import dev.caravan.base.text.Causes;
import dev.caravan.camel.step.NeededLibrary;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.AddressException;
import java.io.IOException;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.camel.ExchangeException;
import org.eclipse.angus.mail.smtp.SMTPAddressFailedException;
import org.eclipse.angus.mail.smtp.SMTPSendFailedException;
import org.eclipse.angus.mail.smtp.SMTPSenderFailedException;

/**
 * Classifies failures of a mail server (RFC 5321, 4.2.1): a 5yz reply is permanent, a 4yz reply is temporary. Used by the error
 * handling of the routes.
 *
 * <p>Public: route files and Java of users may name it (docs/public-api/java.txt).
 */
public final class SmtpFailure {
    /** The reply with which a server closes the connection; it is not about the mail. */
    private static final int NOT_AVAILABLE = 421;

    /** The server demands a login (RFC 4954) or STARTTLS (RFC 3207) first, so it accepts no email of this relay. */
    private static final int LOGIN_REQUIRED = 530;

    /**
     * These errors in the library. A reply alone is one to EHLO, HELO or STARTTLS: for a login, and for the commands of a mail, there are other
     * classes.
     */
    private static final Pattern CONVERSATION = Pattern.compile(
            "Got bad greeting from SMTP host.*|STARTTLS is required.*|[2-5]\\d\\d[ -].*", Pattern.DOTALL);

    private static final boolean HAS_MAIL =
            NeededLibrary.isPresent("org.eclipse.angus.mail.smtp.SMTPAddressFailedException");

    private SmtpFailure() {}

    /** The chain of causes; empty without the mail library, of which the classes below are. */
    private static Stream<Throwable> causes(Throwable error) {
        return HAS_MAIL ? Causes.of(error) : Stream.empty();
    }

    /** Whether the server will never accept this mail: a 5yz reply, or an invalid address. */
    public static boolean isPermanent(@ExchangeException Exception error) {
        return causes(error)
                .anyMatch(cause -> cause instanceof AddressException
                        || cause instanceof InvalidMailException
                        || hasCode(cause, code -> code >= 500 && code != LOGIN_REQUIRED));
    }

    /**
     * Whether the server is unavailable for any mail: 421, 530, a greeting other than 220, a refused HELO or STARTTLS, no
     * reply, or a broken connection. A missing reply to a complete mail is not: the server may have accepted it.
     */
    public static boolean isOfTheServer(@ExchangeException Exception error) {
        return Causes.first(NoAnswerException.class, error).isEmpty()
                && causes(error)
                        .anyMatch(cause -> cause instanceof IOException
                                || isOfTheConversation(cause)
                                || hasCode(
                                        cause, code -> code <= 0 || code == NOT_AVAILABLE || code == LOGIN_REQUIRED));
    }

    /**
     * What the server replied, one line for each recipient or command; not masked.
     *
     * @return empty if the error contains no reply
     */
    public static String replies(Throwable error) {
        return causes(error)
                .map(SmtpFailure::reply)
                .filter(reply -> !reply.isEmpty())
                .distinct()
                .collect(Collectors.joining("\n"));
    }

    /** The replies, without the addresses of recipients; each begins with its code. Not masked. */
    public static Stream<String> answers(Throwable error) {
        return causes(error)
                .filter(cause -> hasCode(cause, code -> code > 0) && cause.getMessage() != null)
                .map(cause -> cause.getMessage().strip());
    }

    /** The text of these errors is the reply of the server. */
    private static String reply(Throwable error) {
        if (error instanceof SMTPAddressFailedException address) {
            return address.getAddress() + ": " + error.getMessage().strip();
        }
        boolean isReply = error instanceof SMTPSenderFailedException
                || error instanceof SMTPSendFailedException send && send.getReturnCode() > 0;
        return isReply && error.getMessage() != null ? error.getMessage().strip() : "";
    }

    /** Recognizes errors without their own class by their texts: a wrong greeting, a refused HELO, and a server that does not start TLS. */
    private static boolean isOfTheConversation(Throwable error) {
        String text = String.valueOf(error.getMessage());
        return error.getClass() == MessagingException.class
                && CONVERSATION.matcher(text).matches();
    }

    private static boolean hasCode(Throwable error, IntPredicate wanted) {
        if (error instanceof SMTPAddressFailedException address) {
            return wanted.test(address.getReturnCode());
        } else if (error instanceof SMTPSenderFailedException sender) {
            return wanted.test(sender.getReturnCode());
        } else if (error instanceof SMTPSendFailedException send) {
            return wanted.test(send.getReturnCode());
        }
        return false;
    }
}
