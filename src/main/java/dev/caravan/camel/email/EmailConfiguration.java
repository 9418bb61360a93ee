package dev.caravan.camel.email;

import org.apache.camel.RuntimeCamelException;
import org.apache.camel.spi.UriParam;
import org.apache.camel.spi.UriParams;

/** The mail server and the sender: options of the component, which each endpoint can override. */
@UriParams
public class EmailConfiguration implements Cloneable {
    @UriParam(
            secret = true,
            description = "The mail server: smtp://host:port, or smtps://host:port for TLS. Required here or in the"
                    + " component.")
    private String server;

    @UriParam(label = "security", secret = true, description = "The user name at the mail server; empty for none.")
    private String user;

    @UriParam(label = "security", secret = true, description = "The password of the user.")
    private String password;

    @UriParam(secret = true, description = "The address of the sender. Required here or in the component.")
    private String from;

    @UriParam(description = "The domain after the @ of the Message-ID. Default: that of the sender.")
    private String messageIdDomain;

    @UriParam(
            defaultValue = "10s",
            javaType = "java.time.Duration",
            description = "Timeout for connecting to the mail server, and for each of its answers.")
    private long timeout = 10_000;

    /** Takes the server of the component, and what this does not have of the login there. */
    void completeLogin(EmailConfiguration component) {
        server = component.server;
        user = user == null ? component.user : user;
        password = password == null ? component.password : password;
    }

    /** The defaults of an endpoint, which can change them. */
    EmailConfiguration copy() {
        try {
            return (EmailConfiguration) clone();
        } catch (CloneNotSupportedException e) {
            throw new RuntimeCamelException(e); // impossible
        }
    }

    public String getServer() {
        return server;
    }

    public void setServer(String server) {
        this.server = server;
    }

    public String getUser() {
        return user;
    }

    public void setUser(String user) {
        this.user = user;
    }

    public String getPassword() {
        return password;
    }

    public void setPassword(String password) {
        this.password = password;
    }

    public String getFrom() {
        return from;
    }

    public void setFrom(String from) {
        this.from = from;
    }

    public String getMessageIdDomain() {
        return messageIdDomain;
    }

    public void setMessageIdDomain(String messageIdDomain) {
        this.messageIdDomain = messageIdDomain;
    }

    public long getTimeout() {
        return timeout;
    }

    public void setTimeout(long timeout) {
        this.timeout = timeout;
    }
}
