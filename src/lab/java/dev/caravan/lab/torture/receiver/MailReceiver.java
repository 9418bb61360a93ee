package dev.caravan.lab.torture.receiver;

import dev.caravan.lab.servers.mail.ScriptedSmtp;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A mail server that records accepted mails and can fail on request. */
public final class MailReceiver implements AutoCloseable {
    /** Kinds of answers. */
    public enum Mode {
        HEALTHY,
        /** Answers 421 instead of a greeting. */
        UNAVAILABLE,
        /** Answers 451 to every mail. */
        ERRORS,
        /** Closes the connection in the middle of a mail. */
        CUT,
        /** Accepts the mail and closes the connection without an answer. */
        ANSWER_LOST
    }

    private static final int REFUSALS_OF_A_FAILING_MESSAGE = 2;

    private final ScriptedSmtp server = new ScriptedSmtp(this::take);
    private final List<Arrival> arrivals = new ArrayList<>();
    private final Map<String, Integer> refusals = new HashMap<>();

    public MailReceiver() throws IOException {}

    public int port() {
        return server.port();
    }

    public void behave(Mode mode) {
        server.clearScript();
        switch (mode) {
            case HEALTHY -> {}
            case UNAVAILABLE -> server.answers("connect", "421 later");
            case ERRORS -> server.answers("rcpt", "451 busy");
            case CUT -> server.answers("middle", ScriptedSmtp.CUT);
            case ANSWER_LOST -> server.answers("end", ScriptedSmtp.CUT);
        }
    }

    /** Every accepted mail, repeats included. */
    public synchronized List<Arrival> all() {
        return List.copyOf(arrivals);
    }

    private synchronized String take(String text) {
        try {
            var mail = new MimeMessage(null, new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII)));
            String messageId = mail.getHeader("torture-id", null);
            TorturePayload payload = TorturePayload.parse(mail.getInputStream().readAllBytes());
            if (payload.kind() == Kind.poison) {
                return "554 never";
            }
            if (payload.kind() == Kind.failing
                    && refusals.merge(messageId, 1, Integer::sum) <= REFUSALS_OF_A_FAILING_MESSAGE) {
                return "451 later";
            }
            arrivals.add(new Arrival(
                    messageId,
                    mail.getHeader("torture-key", null),
                    payload.sequence(),
                    mail.getHeader("relay", null),
                    System.currentTimeMillis()));
            return "250 taken";
        } catch (MessagingException e) {
            throw new IllegalStateException("Could not read a mail", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
