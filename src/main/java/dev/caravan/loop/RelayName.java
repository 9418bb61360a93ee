package dev.caravan.loop;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** A name for this process that a person recognises. The epoch of the lease, not this name, tells relays apart. */
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
