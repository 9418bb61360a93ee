package dev.caravan.camel.headers;

import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpRequestInterceptor;
import org.apache.hc.core5.http.message.BasicHeader;
import org.apache.hc.core5.http.protocol.HttpContext;

/**
 * Percent-encodes header values that HTTP cannot transport, in UTF-8, as in the HTTP binding of CloudEvents (1.0.2, section
 * 3.1.3.2). The HTTP client would send a question mark for each non-ASCII character.
 */
final class EncodedValues implements HttpRequestInterceptor {
    @Override
    public void process(HttpRequest request, EntityDetails entity, HttpContext context) {
        Header[] headers = request.getHeaders();
        for (int i = 0; i < headers.length; i++) {
            if (!isTransportable(headers[i].getValue())) {
                headers[i] = new BasicHeader(headers[i].getName(), EventHeaders.encoded(headers[i].getValue()));
            }
        }
        request.setHeaders(headers); // at once: a request searches each header that is replaced among all others
    }

    /** Whether HTTP transports a value unchanged: printable ASCII, without leading or trailing space. */
    static boolean isTransportable(String value) {
        if (value == null || value.isEmpty()) {
            return true;
        }
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < ' ' || c > '~') {
                return false;
            }
        }
        return value.charAt(0) != ' ' && value.charAt(value.length() - 1) != ' ';
    }
}
