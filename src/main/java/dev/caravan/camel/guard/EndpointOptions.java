package dev.caravan.camel.guard;

import java.net.URISyntaxException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.camel.util.URISupport;

/** The options in the URI of an endpoint. As in Camel, case and dashes in their names are ignored. */
final class EndpointOptions {
    private final Map<String, String> options = new HashMap<>();

    /** @param uri without placeholders; if it is invalid, which Camel refuses, there are no options */
    EndpointOptions(String uri) {
        String query = URISupport.extractQuery(uri);
        if (query != null) {
            try {
                URISupport.parseQuery(query).forEach((name, value) -> options.put(key(name), String.valueOf(value)));
            } catch (URISyntaxException e) {
                options.clear();
            }
        }
    }

    private static String key(String name) {
        return name.replace("-", "").toLowerCase(Locale.ROOT);
    }

    Optional<String> get(String name) {
        return Optional.ofNullable(options.get(key(name)));
    }

    /** Whether an option has a value, ignoring case. */
    boolean has(String name, String value) {
        return value.equalsIgnoreCase(options.get(key(name)));
    }
}
