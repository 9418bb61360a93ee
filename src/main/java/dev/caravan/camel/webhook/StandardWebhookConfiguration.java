package dev.caravan.camel.webhook;

import org.apache.camel.RuntimeCamelException;
import org.apache.camel.spi.UriParam;
import org.apache.camel.spi.UriParams;

/** How requests are sent: options of the component, which each endpoint can override. A receiver has its own URL and secret. */
@UriParams
public class StandardWebhookConfiguration implements Cloneable {
    @UriParam(label = "security", description = "Whether to send to loopback, private and link-local addresses.")
    private boolean allowPrivateAddresses;

    @UriParam(defaultValue = "5s", javaType = "java.time.Duration", description = "Timeout for connecting.")
    private long connectTimeout = 5_000;

    @UriParam(defaultValue = "15s", javaType = "java.time.Duration", description = "Timeout for the answer.")
    private long responseTimeout = 15_000;

    /** The defaults of an endpoint, which can change them. */
    StandardWebhookConfiguration copy() {
        try {
            return (StandardWebhookConfiguration) clone();
        } catch (CloneNotSupportedException e) {
            throw new RuntimeCamelException(e); // impossible
        }
    }

    public boolean isAllowPrivateAddresses() {
        return allowPrivateAddresses;
    }

    public void setAllowPrivateAddresses(boolean allowPrivateAddresses) {
        this.allowPrivateAddresses = allowPrivateAddresses;
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
