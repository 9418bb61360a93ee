package dev.caravan.lab.servers.mail;

import com.icegreen.greenmail.mail.MovingMessage;
import com.icegreen.greenmail.user.GreenMailUser;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Consumer;

/** A mailbox of GreenMail that passes mails to a consumer and does not store them, so that a long demo does not fill the memory. */
record Mailbox(String address, Consumer<ReceivedMail> inbox) implements GreenMailUser {

    @Override
    public void deliver(MovingMessage mail) {
        deliver(mail.getMessage());
    }

    @Override
    public void deliver(MimeMessage mail) {
        try {
            inbox.accept(ReceivedMail.from(mail, address));
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read a mail that arrived", e);
        } catch (MessagingException e) {
            throw new IllegalStateException("Could not read a mail that arrived", e);
        }
    }

    @Override
    public String getEmail() {
        return address;
    }

    @Override
    public String getLogin() {
        return address;
    }

    @Override
    public String getQualifiedMailboxName() {
        return address;
    }

    @Override
    public String getPassword() {
        return "";
    }

    @Override
    public void setPassword(String password) {
        throw new UnsupportedOperationException("mailboxes of the demo only receive");
    }

    @Override
    public void authenticate(String password) {
        throw new UnsupportedOperationException("mailboxes of the demo only receive");
    }

    @Override
    public void create() {
        // nothing is stored
    }

    @Override
    public void delete() {
        // nothing is stored
    }
}
