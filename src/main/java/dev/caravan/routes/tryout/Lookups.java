package dev.caravan.routes.tryout;

import dev.caravan.base.settings.SecretNames;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.text.ErrorText;
import dev.caravan.routes.context.CamelReason;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.camel.PropertiesLookupListener;

/** The placeholders that routes have used: those of vaults, and defaults in the route files, have values that are secrets, too. */
public final class Lookups implements PropertiesLookupListener {
    private final Settings settings;
    private final Set<String> found = ConcurrentHashMap.newKeySet();

    public Lookups(Settings settings) {
        this.settings = settings;
    }

    @Override
    public void onLookup(String name, String value, String defaultValue, String source) {
        if (SecretNames.isSecretPlaceholder(name)) {
            SecretNames.hidden(value).forEach(found::add);
        }
    }

    /** The secrets of the settings and of this process, and of the placeholders that were used so far. */
    public Secrets secrets() {
        return Secrets.of(settings).and(found);
    }

    /** Why Camel refused something, for the log: without secrets, and masked, because its texts quote addresses. */
    public String reason(Throwable thrown) {
        return ErrorText.masked(secrets().mask(CamelReason.of(thrown)));
    }
}
