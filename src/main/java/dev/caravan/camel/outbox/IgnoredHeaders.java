package dev.caravan.camel.outbox;

import dev.caravan.base.message.Message;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs the first message of a subscription whose row has headers with reserved names. Later messages are not logged. */
final class IgnoredHeaders {
    private static final Logger LOG = LoggerFactory.getLogger(IgnoredHeaders.class);
    private static final int MAX_NAMES = 10;
    private static final int MAX_NAME_LENGTH = 60;

    private final String subscription;
    private volatile boolean logged;

    IgnoredHeaders(String subscription) {
        this.subscription = subscription;
    }

    /** @param names names of the ignored headers; values are not logged, because they may be personal data */
    void log(Message message, List<String> names) {
        if (logged) {
            return;
        }
        logged = true;
        LOG.warn(
                "Ignored headers of message {} (messageId={}) in subscription {}: {}. Their names are reserved for Camel and"
                        + " Caravan. The message is delivered without them; this is logged once",
                message.id(),
                message.messageId(),
                subscription,
                text(names));
    }

    private static String text(List<String> names) {
        String text = String.join(
                ", ",
                names.stream().limit(MAX_NAMES).map(IgnoredHeaders::printable).toList());
        return names.size() > MAX_NAMES ? text + " and " + (names.size() - MAX_NAMES) + " more" : text;
    }

    private static String printable(String name) {
        String bounded = name.length() > MAX_NAME_LENGTH ? name.substring(0, MAX_NAME_LENGTH) + "…" : name;
        return bounded.replaceAll("\\p{Cc}", "?");
    }
}
