package dev.caravan.camel.email;

import dev.caravan.camel.InvalidMailException;
import dev.caravan.camel.MailAddress;
import dev.caravan.camel.NoAnswerException;
import dev.caravan.camel.step.FieldCopy;
import jakarta.mail.Address;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.URLName;
import jakarta.mail.internet.MimeMessage;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.eclipse.angus.mail.smtp.SMTPSendFailedException;
import org.eclipse.angus.mail.smtp.SMTPTransport;

/**
 * Sends mails for {@code email:}, and for messages of an outbox with Camel's {@code smtp:}. Addresses reach the mail server unchanged or
 * not at all, and a missing answer to a complete mail is told apart from a failure before.
 */
final class SmtpTransport extends SMTPTransport {
    private static final String UTF8 = "SMTPUTF8";

    /** Whether the library itself writes UTF-8, and requests it for each mail. */
    private final boolean writesUtf8;

    private boolean international;
    private boolean isClosing;

    private SmtpTransport(Session session, String protocol, boolean tls) {
        super(session, new URLName(protocol, null, -1, null, null, null), protocol, tls);
        writesUtf8 = Boolean.parseBoolean(session.getProperty("mail.mime.allowutf8"));
    }

    /** @param protocol smtp, or smtps with TLS from the beginning */
    static SmtpTransport of(Session session, String protocol) {
        return new SmtpTransport(session, protocol, protocol.equals("smtps"));
    }

    @Override
    public synchronized void sendMessage(Message message, Address[] recipients) throws MessagingException {
        international = false;
        if (message instanceof MimeMessage mail && recipients != null) {
            super.sendMessage(mail, prepared(mail, recipients));
        } else {
            super.sendMessage(message, recipients);
        }
    }

    private Address[] prepared(MimeMessage mail, Address[] recipients) throws MessagingException {
        OutgoingMail outgoing = OutgoingMail.of(mail, recipients);
        international = outgoing.isInternational();
        if (international && !supportsExtension(UTF8)) {
            throw new InvalidMailException("The part before the @ of an address contains other characters than ASCII,"
                    + " and the mail server does not offer SMTPUTF8");
        }
        return outgoing.recipients();
    }

    @Override
    protected void sendCommand(String command) throws MessagingException {
        boolean ofSender = command.startsWith("MAIL FROM:");
        if (ofSender || command.startsWith("RCPT TO:")) {
            requireValid(command);
        }
        String requested = ofSender && international && !writesUtf8 ? command + " " + UTF8 : command;
        super.sendCommand(writesUtf8 ? requested : inUtf8(requested));
    }

    private void requireValid(String command) throws MessagingException {
        if (command.codePoints().anyMatch(Character::isISOControl)) {
            throw new InvalidMailException("An address of the mail contains a line break or another control character");
        }
        if (!MailAddress.isWellFormed(command)) {
            throw new InvalidMailException("An address of the mail contains half a character");
        }
        if (!international && !MailAddress.isAscii(command)) { // for example of the setting mail.smtp.from
            throw new InvalidMailException("An address of the mail contains other characters than ASCII");
        }
    }

    /**
     * A text whose low bytes are the UTF-8 of a text. The library writes only the low byte of each character of a command:
     * {@code š} becomes {@code a}, and other characters become a comma or a line break.
     */
    private static String inUtf8(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    @Override
    protected void finishData() throws IOException, MessagingException {
        finish(super::finishData);
    }

    @Override
    protected void finishBdat() throws IOException, MessagingException {
        finish(super::finishBdat);
    }

    /** Sends the end of a mail, and waits for the answer. */
    @FunctionalInterface
    private interface End {
        void send() throws IOException, MessagingException;
    }

    private void finish(End end) throws IOException, MessagingException {
        requireUnanswered();
        try {
            end.send();
        } catch (IOException | MessagingException e) {
            if (!isAnswered(e)) {
                throw unanswered(e);
            }
            if (!isAccepted(e)) {
                throw e;
            }
        }
    }

    /** The library expects 250, but each code that begins with 2 accepts the mail (RFC 5321, 4.2.1): it would be sent again and again. */
    private static boolean isAccepted(Exception failure) {
        return failure instanceof SMTPSendFailedException answer && answer.getReturnCode() / 100 == 2;
    }

    /**
     * What arrived before the end of the mail does not accept the mail: the server may not have read it, or an answer belongs to another
     * command. A rejection may come early.
     */
    private void requireUnanswered() throws IOException {
        BufferedInputStream answers = answers();
        if (answers.available() > 0) {
            answers.mark(1);
            boolean isRejection = "45".indexOf(answers.read()) >= 0;
            answers.reset();
            if (!isRejection) {
                throw new IOException("the mail server has answered before the mail was complete");
            }
        }
    }

    private BufferedInputStream answers() {
        return FieldCopy.value(SMTPTransport.class, "serverInput", this, BufferedInputStream.class);
    }

    /** The code of the last answer is positive since the answer to DATA, unless the mail was complete and no answer came. */
    private boolean isAnswered(Exception failure) {
        return getLastReturnCode() > 0 || failure instanceof SMTPSendFailedException sent && sent.getReturnCode() > 0;
    }

    /** The library sends RSET after a rejection, which would be lost if there is no answer to RSET. */
    @Override
    public synchronized void issueCommand(String command, int expected) throws MessagingException {
        try {
            super.issueCommand(command, expected);
        } catch (MessagingException e) {
            if (!command.equals("RSET")) {
                throw e;
            }
        }
    }

    /** All lines of an answer have the same code (RFC 5321, 4.2.1). The library knows only the first, which may accept what the last rejects. */
    @Override
    protected int readServerResponse() throws MessagingException {
        int code = super.readServerResponse();
        String begin = Integer.toString(code);
        if (code > 0 && !getLastServerResponse().lines().allMatch(line -> line.startsWith(begin))) {
            throw new MessagingException("the lines of an answer of the mail server have different codes");
        }
        return code;
    }

    /** The library closes after an answer without a code, also after one to QUIT: it would send QUIT until the stack is full. */
    @Override
    public synchronized void close() throws MessagingException {
        if (!isClosing) {
            isClosing = true;
            try {
                super.close();
            } finally {
                isClosing = false;
            }
        }
    }

    /** Its cause makes the library close the connection, instead of waiting for the answer to QUIT. */
    private static MessagingException unanswered(Exception failure) {
        NoAnswerException unanswered =
                new NoAnswerException("the mail server has received everything and has not answered", failure);
        return new MessagingException(unanswered.getMessage(), unanswered);
    }
}
