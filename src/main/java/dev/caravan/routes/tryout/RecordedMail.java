package dev.caravan.routes.tryout;

import dev.caravan.camel.email.OutgoingMail;
import dev.caravan.camel.headers.RouteHeadersBinding;
import dev.caravan.routes.destination.Answer;
import dev.caravan.routes.destination.Bytes;
import dev.caravan.routes.destination.Header;
import dev.caravan.routes.destination.MailSent;
import jakarta.mail.Address;
import jakarta.mail.BodyPart;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Multipart;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.URLName;
import jakarta.mail.internet.MimeMessage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.camel.Exchange;
import org.apache.camel.component.mail.DefaultJavaMailSender;
import org.apache.camel.component.mail.JavaMailSender;
import org.apache.camel.component.mail.MailEndpoint;
import org.apache.camel.component.mail.MailProducer;
import org.eclipse.angus.mail.smtp.SMTPSendFailedException;

/** Prepares emails as Camel does, and records them instead of sending them to a mail server. */
final class RecordedMail extends DefaultJavaMailSender {
    private final Recorder recorder;

    private RecordedMail(Recorder recorder) {
        this.recorder = recorder;
    }

    /** A producer that never connects, even if headers of the message set another server. */
    static MailProducer producer(MailEndpoint endpoint, Recorder recorder) {
        RouteHeadersBinding.bind(endpoint); // as for messages of an outbox
        RecordedMail sender = new RecordedMail(recorder);
        if (endpoint.getConfiguration().getAdditionalJavaMailProperties() != null) {
            sender.setJavaMailProperties(endpoint.getConfiguration().getAdditionalJavaMailProperties());
        }
        return new MailProducer(endpoint, sender) {
            @Override
            protected JavaMailSender getSender(Exchange exchange) {
                return sender;
            }
        };
    }

    @Override
    public jakarta.mail.PasswordAuthentication getPasswordAuthentication() {
        return new jakarta.mail.PasswordAuthentication("", "");
    }

    @Override
    protected Transport getTransport(Session session) {
        return new Recording(session);
    }

    private final class Recording extends Transport {
        private Recording(Session session) {
            super(session, new URLName("smtp", "", -1, "", "", ""));
        }

        @Override
        public void connect(String host, int port, String user, String password) {
            // there is no server
        }

        @Override
        public void sendMessage(Message mail, Address[] recipients) throws MessagingException {
            Address[] prepared = OutgoingMail.of((MimeMessage) mail, recipients).recipients();
            Answer answer = recorder.answer(sent((MimeMessage) mail, prepared));
            if (answer.isFailure()) {
                throw failure(answer, prepared);
            }
        }
    }

    private static MessagingException failure(Answer answer, Address[] recipients) {
        return answer.kind() == Answer.Kind.ANSWERED
                ? new SMTPSendFailedException(
                        "DATA",
                        answer.status(),
                        answer.status() + " " + answer.body(),
                        null,
                        new Address[0],
                        recipients,
                        new Address[0])
                : new MessagingException("Could not send to the mail server", answer.failure());
    }

    private static MailSent sent(MimeMessage mail, Address[] recipients) throws MessagingException {
        try {
            ByteArrayOutputStream whole = new ByteArrayOutputStream();
            mail.writeTo(whole);
            List<Header> headers = new ArrayList<>();
            for (var header : Collections.list(mail.getAllHeaders())) {
                headers.add(Header.of(header.getName(), header.getValue()));
            }
            List<MailSent.Part> parts = new ArrayList<>();
            parts(mail.getContent(), mail, parts);
            List<String> addresses = recipients == null
                    ? List.of()
                    : Arrays.stream(recipients).map(Address::toString).toList();
            return new MailSent(addresses, headers, parts, new Bytes(whole.toByteArray()));
        } catch (IOException e) {
            throw new MessagingException("Could not write the email", e);
        }
    }

    private static void parts(Object content, jakarta.mail.Part part, List<MailSent.Part> parts)
            throws MessagingException, IOException {
        if (content instanceof Multipart several) {
            for (int i = 0; i < several.getCount(); i++) {
                BodyPart inner = several.getBodyPart(i);
                parts(inner.getContent(), inner, parts);
            }
            return;
        }
        Bytes bytes;
        if (content instanceof String text) {
            bytes = Bytes.of(text);
        } else {
            try (var in = part.getInputStream()) {
                bytes = new Bytes(in.readAllBytes());
            }
        }
        String fileName = part.getFileName() == null ? "" : part.getFileName();
        parts.add(new MailSent.Part(part.getContentType(), fileName, bytes));
    }
}
