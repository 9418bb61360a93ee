package dev.caravan.lab.demo;

import dev.caravan.settings.Settings;

/** How the demo starts a relay in this process; close stops it gracefully. */
@FunctionalInterface
public interface DemoRelayStart {
    /** Returns when all routes have started. */
    AutoCloseable start(Settings settings) throws Exception;
}
