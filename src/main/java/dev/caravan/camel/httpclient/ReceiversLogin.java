package dev.caravan.camel.httpclient;

import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.auth.Credentials;
import org.apache.hc.client5.http.auth.CredentialsProvider;
import org.apache.hc.core5.http.protocol.HttpContext;

/**
 * Logs in at the receiver to which a request is sent. Camel registers the login of a step for every host, so a proxy that demands one would get
 * the password.
 */
final class ReceiversLogin implements CredentialsProvider {
    /** No host is called so (RFC 6761, 6.4): what applies to it applies to every host. */
    private static final AuthScope ANY = new AuthScope("any.invalid", 1);

    private final CredentialsProvider all;

    ReceiversLogin(CredentialsProvider all) {
        this.all = all;
    }

    @Override
    public Credentials getCredentials(AuthScope scope, HttpContext context) {
        Credentials found = all.getCredentials(scope, context);
        boolean isForEveryHost = found == all.getCredentials(ANY, context); // that of a proxy may be equal
        return isForEveryHost && !RunningRequest.of(context).isTo(scope) ? null : found;
    }
}
