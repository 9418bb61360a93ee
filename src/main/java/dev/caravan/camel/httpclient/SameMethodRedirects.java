package dev.caravan.camel.httpclient;

import java.util.Set;
import org.apache.hc.client5.http.impl.DefaultRedirectStrategy;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.HttpStatus;
import org.apache.hc.core5.http.ProtocolException;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.http.protocol.HttpCoreContext;

/**
 * Follows redirects that keep the method. After the others a POST would become a GET without the message, for example of a login page, whose
 * answer says nothing about the message. They are the answer of the receiver, and a failure; so is a redirect of a login to another host.
 */
final class SameMethodRedirects extends DefaultRedirectStrategy {
    private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");
    private static final Set<Integer> KEEPING =
            Set.of(HttpStatus.SC_TEMPORARY_REDIRECT, HttpStatus.SC_PERMANENT_REDIRECT);

    @Override
    public boolean isRedirected(HttpRequest request, HttpResponse response, HttpContext context)
            throws ProtocolException {
        return (READING.contains(request.getMethod()) || KEEPING.contains(response.getCode()))
                && super.isRedirected(request, response, context);
    }

    /** Looks at the login of the route and, in the request that was sent, at the one that the client has added, which it would add again. */
    @Override
    public boolean isRedirectAllowed(HttpHost from, HttpHost to, HttpRequest redirect, HttpContext context) {
        return super.isRedirectAllowed(from, to, redirect, context)
                && super.isRedirectAllowed(
                        from, to, HttpCoreContext.cast(context).getRequest(), context);
    }
}
