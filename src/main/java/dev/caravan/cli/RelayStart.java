package dev.caravan.cli;

import dev.caravan.relay.Relay;
import dev.caravan.settings.Settings;

/** Starts a relay with settings that were checked and a database that is ready. */
@FunctionalInterface
interface RelayStart {
    /** The relay of this program. */
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
