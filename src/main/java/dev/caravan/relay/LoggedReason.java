package dev.caravan.relay;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.text.ErrorText;
import dev.caravan.routes.context.CamelReason;
import dev.caravan.routes.tryout.Lookups;
import dev.caravan.routes.tryout.Secrets;

/**
 * Why Camel refused something, for the log: without the values of secret settings and placeholders, and masked, because its texts quote addresses.
 *
 * @param lookups the placeholders that the routes have used
 */
record LoggedReason(Settings settings, Lookups lookups) {
    String of(Throwable thrown) {
        return ErrorText.masked(Secrets.of(settings).and(lookups.secrets()).mask(CamelReason.of(thrown)));
    }
}
