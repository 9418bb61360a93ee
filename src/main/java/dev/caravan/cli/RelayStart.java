package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import dev.caravan.relay.BeforeRoutes;
import dev.caravan.relay.Relay;

/** Starts a relay with settings that have been checked. */
@FunctionalInterface
interface RelayStart {
    /** Starts a {@link Relay} in this process. */
    RelayStart REAL = (settings, beforeRoutes) -> {
        Relay relay = Relay.start(settings, beforeRoutes);
        return RunningRelay.of(relay::awaitEnd, relay::close);
    };

    /** @param beforeRoutes blocks until the database is ready; no route is started before that */
    RunningRelay start(Settings settings, BeforeRoutes beforeRoutes) throws Exception;
}
