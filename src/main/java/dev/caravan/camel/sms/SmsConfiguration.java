package dev.caravan.camel.sms;

import org.apache.camel.RuntimeCamelException;
import org.apache.camel.spi.UriParam;
import org.apache.camel.spi.UriParams;

/** The gateway of SMS and the login there: options of the component, which each endpoint can override. */
@UriParams
public class SmsConfiguration implements Cloneable {
    @UriParam(
            secret = true,
            description = "The URL of Messages.json at the gateway. Required here or in the component.")
    private String url;

    @UriParam(label = "security", secret = true, description = "The user for Basic authentication; empty for none.")
    private String user;

    @UriParam(label = "security", secret = true, description = "The password for Basic authentication.")
    private String password;

    @UriParam(
            secret = true,
            description = "The number of the sender in international form. Required here or in the component.")
    private String from;

    @UriParam(defaultValue = "5s", javaType = "java.time.Duration", description = "Timeout for connecting.")
    private long connectTimeout = 5_000;

    @UriParam(
            defaultValue = "10s",
            javaType = "java.time.Duration",
            description = "Timeout for the answer. A timeout causes a repeat.")
    private long responseTimeout = 10_000;

    /** Takes the URL of the component, and what this does not have of the login there. */
    void completeLogin(SmsConfiguration component) {
        url = component.url;
        user = user == null ? component.user : user;
        password = password == null ? component.password : password;
    }

    /** The defaults of an endpoint, which can change them. */
    SmsConfiguration copy() {
        try {
            return (SmsConfiguration) clone();
        } catch (CloneNotSupportedException e) {
            throw new RuntimeCamelException(e); // impossible
        }
    }

    public String getUrl() {
        return url;
    }

    public void setUrl(String url) {
        this.url = url;
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

    public long getConnectTimeout() {
        return connectTimeout;
    }

    public void setConnectTimeout(long connectTimeout) {
        this.connectTimeout = connectTimeout;
    }

    public long getResponseTimeout() {
        return responseTimeout;
    }

    public void setResponseTimeout(long responseTimeout) {
        this.responseTimeout = responseTimeout;
    }
}
