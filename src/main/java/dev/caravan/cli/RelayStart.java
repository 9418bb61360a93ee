package dev.caravan.cli;

import dev.caravan.settings.Settings;

/** Starts a relay with settings that were checked and a database that is ready. */
@FunctionalInterface
interface RelayStart {
    /** The relay of this program. */
    RelayStart REAL = settings -> {
        throw new IllegalStateException("Could not start the relay: this build has none.");
    };

    RunningRelay start(Settings settings) throws Exception;
}
