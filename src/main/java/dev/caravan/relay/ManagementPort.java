package dev.caravan.relay;

import dev.caravan.base.settings.Settings;
import dev.caravan.console.api.ManagementServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Checks the port of the management server: Camel starts the routes even if it is in use, and neither a relay nor a console could be reached. */
final class ManagementPort {
    private static final long DEFAULT = 9876;
    private static final long HIGHEST = 65_535;

    private ManagementPort() {}

    /** The port; 0 for any. */
    static int of(Settings settings) {
        return (int) settings.number("camel.management.port", DEFAULT, 0, HIGHEST);
    }

    /** @throws RelayStartException if the relay could not listen on the port */
    static void requireFree(Settings settings) {
        int port = of(settings);
        if (!settings.flag("camel.management.enabled", false) || port == 0) {
            return;
        }
        String host = ManagementServer.host(settings);
        try (ServerSocket attempt = new ServerSocket()) {
            attempt.bind(new InetSocketAddress(host, port));
        } catch (IOException e) {
            throw new RelayStartException(
                    "Could not listen on port " + port + " of " + host + " for health, metrics and" + " the console: "
                            + e.getMessage() + ". Nothing was started. " + remedy(e));
        }
    }

    private static String remedy(IOException failure) {
        return String.valueOf(failure.getMessage()).contains("in use")
                ? "Another program uses the port, perhaps another relay or console: stop it, or set camel.management.port"
                        + " (CAMEL_MANAGEMENT_PORT), or --port of a console, to another port"
                : "Set camel.management.host (CAMEL_MANAGEMENT_HOST) to an address of this machine, and camel.management.port"
                        + " (CAMEL_MANAGEMENT_PORT) to a port that this user may listen on";
    }
}
