package dev.caravan.cli;

import dev.caravan.relay.Relay;
import dev.caravan.settings.Settings;

/** Starts a relay. The settings are checked and the database is ready. */
@FunctionalInterface
interface RelayStart {
    /** Starts a {@link Relay} in this process. */
    RelayStart REAL = settings -> {
        Relay relay = Relay.start(settings);
        return new RunningRelay() {
            @Override
            public void close() {
                relay.close();
            }

            @Override
            public void awaitEnd() throws InterruptedException {
                relay.awaitEnd();
            }
        };
    };

    RunningRelay start(Settings settings) throws Exception;
}
