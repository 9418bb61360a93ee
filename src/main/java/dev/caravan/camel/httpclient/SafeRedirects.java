package dev.caravan.camel.httpclient;

import java.net.URI;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.hc.client5.http.impl.DefaultRedirectStrategy;
import org.apache.hc.client5.http.impl.DefaultSchemePortResolver;
import org.apache.hc.client5.http.routing.RoutingSupport;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.HttpStatus;
import org.apache.hc.core5.http.ProtocolException;
import org.apache.hc.core5.http.protocol.HttpContext;

/**
 * Follows redirects that keep the method and the receiver. After one that changes the method, a POST would become a GET without the message, for
 * example of a login page, whose answer says nothing about the message. Another receiver would get the message, and all headers that a route has set,
 * such as keys. Such redirects are the answer of the receiver, and a failure.
 */
final class SafeRedirects extends DefaultRedirectStrategy {
    private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");
    private static final Set<Integer> KEEPING =
            Set.of(HttpStatus.SC_TEMPORARY_REDIRECT, HttpStatus.SC_PERMANENT_REDIRECT);

    private static final Pattern ABOVE_ROOT = Pattern.compile("^(\\w+://[^/]*)(?:/\\.\\.)+(?=[/?]|$)");

    @Override
    public boolean isRedirected(HttpRequest request, HttpResponse response, HttpContext context)
            throws ProtocolException {
        return (READING.contains(request.getMethod()) || KEEPING.contains(response.getCode()))
                && super.isRedirected(request, response, context);
    }

    /** Without its fragment, and without the dots that lead above the root (RFC 3986, 5.2.4): otherwise a circle would not be found. */
    @Override
    public URI getLocationURI(HttpRequest request, HttpResponse response, HttpContext context) throws HttpException {
        String location = super.getLocationURI(request, response, context).toString();
        return URI.create(ABOVE_ROOT.matcher(location.replaceFirst("#.*", "")).replaceFirst("$1"));
    }

    @Override
    public boolean isRedirectAllowed(HttpHost from, HttpHost to, HttpRequest redirect, HttpContext context) {
        return isSameReceiver(from, to);
    }

    /** Whether protocol, name and port are the same, or the same receiver only demands TLS, both on their usual ports. */
    static boolean isSameReceiver(HttpHost from, HttpHost to) {
        HttpHost before = withPort(from);
        HttpHost after = withPort(to);
        return after.equals(before)
                || before.equals(new HttpHost("http", before.getHostName(), 80))
                        && after.equals(new HttpHost("https", before.getHostName(), 443));
    }

    private static HttpHost withPort(HttpHost host) {
        return RoutingSupport.normalize(host, DefaultSchemePortResolver.INSTANCE);
    }
}
