package dev.caravan.camel.step;

import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import org.apache.camel.component.http.HttpConstants;

/** The URL of a receiver, in the form that Camel's HTTP component needs: a query of the URL is separate from options of Camel. */
public record HttpAddress(URI url) {
    /** @throws IllegalArgumentException if it is not a URL of HTTP with a host */
    public static HttpAddress parse(String text) {
        URI url;
        try {
            url = URI.create(text.strip());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("url is not a valid URL");
        }
        if (url.getHost() == null || !("http".equals(url.getScheme()) || "https".equals(url.getScheme()))) {
            throw new IllegalArgumentException("url must begin with https:// or http:// and name a host");
        }
        if (url.getRawUserInfo() != null) {
            throw new IllegalArgumentException("url must not contain a user or a password");
        }
        return new HttpAddress(url);
    }

    /** The URI of Camel's endpoint, with options for it. */
    public String endpoint(String options) {
        return withoutQuery() + "?httpMethod=POST&followRedirects=false&" + options;
    }

    private String withoutQuery() {
        return url.getScheme() + "://" + url.getRawAuthority() + url.getRawPath();
    }

    /** The headers that control Camel's component. It decodes the path of its own URI: {@code /a%2Fb} would become {@code /a/b}. */
    public Map<String, Object> headers() {
        Map<String, Object> headers = new HashMap<>();
        headers.put(HttpConstants.HTTP_URI, withoutQuery());
        if (url.getRawQuery() != null) {
            headers.put(HttpConstants.HTTP_QUERY, url.getRawQuery());
        }
        return headers;
    }
}
