package dev.caravan.camel;

import jakarta.mail.PasswordAuthentication;
import org.apache.camel.component.mail.MailAuthenticator;

/**
 * Logs in to the mail server only when a user is configured. Servers with AUTH refuse an empty user.
 *
 * <p>Public: route files and Java of users may name it (docs/public-api/java.txt).
 */
public final class MailLogin extends MailAuthenticator {
    private final String user;
    private final String password;

    /** @param user empty for a server without login */
    public MailLogin(String user, String password) {
        this.user = user;
        this.password = password;
    }

    @Override
    public PasswordAuthentication getPasswordAuthentication() {
        return user.isEmpty() ? new PasswordAuthentication(null, null) : new PasswordAuthentication(user, password);
    }
}
