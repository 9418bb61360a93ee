package dev.caravan.routes.tryout;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.camel.PropertiesLookupListener;

/** The secrets among the values of placeholders that routes have used: also those of vaults, and of defaults in the route files. */
public final class Lookups implements PropertiesLookupListener {
    private final Set<String> secrets = ConcurrentHashMap.newKeySet();

    @Override
    public void onLookup(String name, String value, String defaultValue, String source) {
        if (SecretNames.isSecretPlaceholder(name)) {
            SecretNames.hidden(value).forEach(secrets::add);
        }
    }

    public List<String> secrets() {
        return List.copyOf(secrets);
    }
}
