package dev.caravan.engine.loop;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The default name of this relay, which is shown to people. Relays are distinguished by the epoch of a lease, not by this name. */
public final class RelayName {
    private RelayName() {}

    public static String ofThisProcess() {
        return host() + "-" + ProcessHandle.current().pid();
    }

    private static String host() {
        String fromEnvironment = System.getenv("HOSTNAME");
        if (fromEnvironment != null && !fromEnvironment.isBlank()) {
            return fromEnvironment;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
