package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import dev.caravan.relay.BeforeRoutes;
import dev.caravan.relay.Relay;
import dev.caravan.relay.Running;

/** Starts a relay with settings that have been checked. */
@FunctionalInterface
interface RelayStart {
    /** Starts a {@link Relay} in this process. */
    RelayStart REAL = Relay::start;

    /** @param beforeRoutes blocks until the database is ready; no route is started before that */
    Running start(Settings settings, BeforeRoutes beforeRoutes) throws Exception;
}
