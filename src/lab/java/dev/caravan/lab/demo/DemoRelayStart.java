package dev.caravan.lab.demo;

import dev.caravan.base.settings.Settings;

/** Starts the relay of the demo in this process. */
@FunctionalInterface
public interface DemoRelayStart {
    /** Returns when all routes have started. The result stops the relay gracefully when it is closed. */
    AutoCloseable start(Settings settings) throws Exception;
}
