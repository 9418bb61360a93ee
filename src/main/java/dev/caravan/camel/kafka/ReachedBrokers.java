package dev.caravan.camel.kafka;

import dev.caravan.base.text.Reason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.ClientDnsLookup;
import org.apache.kafka.clients.ClientUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says at the start of the first route that no broker accepts connections. The first send would fail only after half a minute, and Kafka's
 * client reports nothing until then that a person could understand.
 */
final class ReachedBrokers {
    private static final Logger LOG = LoggerFactory.getLogger(ReachedBrokers.class);
    private static final int TIMEOUT_MILLIS = 3_000;

    private final Set<List<String>> checked = ConcurrentHashMap.newKeySet();

    /** Checks brokers once, in a thread of its own. @param brokers as {@code host:port} */
    void check(List<String> brokers) {
        if (checked.add(brokers)) {
            Thread thread = new Thread(() -> connect(brokers), "kafka-brokers");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static void connect(List<String> brokers) {
        String reason = "unknown host";
        try {
            for (InetSocketAddress address :
                    ClientUtils.parseAndValidateAddresses(brokers, ClientDnsLookup.USE_ALL_DNS_IPS)) {
                try (Socket socket = new Socket()) {
                    socket.connect(address, TIMEOUT_MILLIS);
                    return;
                } catch (IOException e) {
                    reason = Reason.of(e);
                }
            }
        } catch (RuntimeException e) {
            reason = Reason.of(e);
        }
        LOG.warn(
                "No Kafka broker of {} accepts a connection: {}. Messages for it wait, and are delivered when it answers",
                String.join(",", brokers),
                reason);
    }
}
