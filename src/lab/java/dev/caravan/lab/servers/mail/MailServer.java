package dev.caravan.lab.servers.mail;

import com.icegreen.greenmail.configuration.GreenMailConfiguration;
import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import java.util.function.Consumer;

/** A real SMTP server (GreenMail) on a free port. It accepts any login, passes each mail to a consumer and stores nothing. */
public final class MailServer implements AutoCloseable {
    private final GreenMail greenMail;

    private MailServer(GreenMail greenMail) {
        this.greenMail = greenMail;
    }

    /**
     * @param inbox receives each mail before it is acknowledged; called by several threads
     */
    public static MailServer start(Consumer<ReceivedMail> inbox) {
        var greenMail = new GreenMail(
                new ServerSetup(0, ServerSetup.getLocalHostAddress(), ServerSetup.PROTOCOL_SMTP).dynamicPort());
        greenMail.withConfiguration(GreenMailConfiguration.aConfig().withDisabledAuthentication());
        greenMail.start();
        greenMail
                .getUserManager()
                .setMessageDeliveryHandler((mail, recipient) -> new Mailbox(recipient.getEmail(), inbox));
        return new MailServer(greenMail);
    }

    /** Address in the form of the option {@code server} of {@code email:}. */
    public String url() {
        return "smtp://" + greenMail.getSmtp().getBindTo() + ":"
                + greenMail.getSmtp().getPort();
    }

    @Override
    public void close() {
        greenMail.stop();
    }
}
