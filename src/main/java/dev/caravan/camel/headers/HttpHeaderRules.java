package dev.caravan.camel.headers;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;
import org.apache.camel.component.http.HttpClientConfigurer;
import org.apache.camel.component.http.HttpEndpoint;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http.protocol.HttpContext;

/**
 * Sends over HTTP only headers with valid names. An invalid name could arrive as another name or as part of a value. Sets a
 * content type for a body of bytes.
 */
public final class HttpHeaderRules extends NoControlHeaders {
    private static final String OTHER_TOKEN_CHARACTERS = "!#$%&'*+-.^_`|~";
    /**
     * They say how a request is sent, and not what (RFC 9110, 7.6.1 and 10.1.1): with Expect the client would wait before it sends the body, and
     * with Range it would get a part of the answer, which looks whole. With Content-Range the message would be a part of another. A request has no Set-Cookie. For many receivers the others replace its
     * method, its path or its host. In lower case, and with dashes: receivers such as CGI programs read other signs as dashes.
     */
    private static final Set<String> HOW_TO_SEND = Set.of(
            "connection",
            "content-range",
            "expect",
            "forwarded",
            "http2-settings",
            "keep-alive",
            "proxy-authorization",
            "proxy-connection",
            "range",
            "set-cookie",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "x-forwarded-host",
            "x-forwarded-port",
            "x-forwarded-prefix",
            "x-forwarded-proto",
            "x-http-method",
            "x-http-method-override",
            "x-method-override",
            "x-original-url",
            "x-rewrite-url");

    private static final Pattern OTHER_SIGNS = Pattern.compile("[^a-z0-9]");

    private final HttpEndpoint endpoint;

    private HttpHeaderRules(HttpEndpoint endpoint) {
        super(endpoint.getHeaderFilterStrategy(), EventHeaders.KAFKA);
        this.endpoint = endpoint;
    }

    /** Makes an endpoint use these rules, in addition to its own. */
    public static void bind(HttpEndpoint endpoint) {
        endpoint.setHeaderFilterStrategy(new HttpHeaderRules(endpoint));
        HttpClientConfigurer options = endpoint.getHttpClientConfigurer();
        endpoint.setHttpClientConfigurer(client -> {
            if (options != null) {
                options.configureHttpClient(client);
            }
            client.addRequestInterceptorFirst(new EncodedValues());
            client.addRequestInterceptorFirst(HttpHeaderRules::setTypeOfBytes);
        });
    }

    /** Sets the content type of a body of bytes that has none. */
    private static void setTypeOfBytes(HttpRequest request, EntityDetails entity, HttpContext context) {
        boolean isEmpty = entity == null || entity.getContentLength() == 0;
        if (!isEmpty && entity.getContentType() == null && !(entity instanceof StringEntity)) {
            request.setHeader(HttpHeaders.CONTENT_TYPE, "application/octet-stream");
        }
    }

    @Override
    public boolean applyFilterToCamelHeaders(String name, Object value, Exchange exchange) {
        return super.applyFilterToCamelHeaders(name, value, exchange)
                || !isToken(name)
                || isHowToSend(name) && isOfOthers(name, value, exchange);
    }

    /** A login that the route configures is not replaced, nor what Caravan sends by another spelling. */
    private boolean isHowToSend(String name) {
        String plain = OTHER_SIGNS.matcher(name.toLowerCase(Locale.ROOT)).replaceAll("-");
        return HOW_TO_SEND.contains(plain)
                || ReservedNames.isOfTheOutbox(plain)
                || plain.equals("authorization")
                        && (endpoint.getAuthMethod() != null
                                || endpoint.getAuthUsername() != null
                                || endpoint.getOauth2TokenEndpoint() != null);
    }

    /** Whether a header is from the row or an answer, and not set by the route. */
    public static boolean isOfOthers(String name, Object value, Exchange exchange) {
        return exchange != null
                && (RowHeaders.isReceived(exchange, name, value) || RowHeaders.has(exchange, name, value));
    }

    /** Whether the name is a token as defined in RFC 9110, section 5.6.2. */
    static boolean isToken(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean letterOrDigit = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
            if (!letterOrDigit && OTHER_TOKEN_CHARACTERS.indexOf(c) < 0) {
                return false;
            }
        }
        return !name.isEmpty();
    }
}
