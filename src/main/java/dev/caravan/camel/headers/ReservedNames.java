package dev.caravan.camel.headers;

import java.util.Set;
import java.util.TreeSet;

/**
 * Names that a header of a row must not have, ignoring case: those that control Camel's components, such as {@code CamelHttpUri},
 * {@code kafka.OVERRIDE_TOPIC} and {@code mail.smtp.proxy.host}, and those that Caravan sets.
 */
public final class ReservedNames {
    /**
     * Prefixes of control headers. Camel before 4.18.3 reads {@code kafka.KEY} and similar names, and settings of the mail library; all others
     * of the components in the relay start with Camel.
     */
    private static final String[] CONTROL = {"camel", "org.apache.camel.", "kafka.", "mail.smtp.", "mail.smtps."};

    /** As Camel sends them to JMS and AMQP, whose names have no dashes. The same header of a row would replace them. */
    private static final Set<String> IN_JMS =
            Set.of("aggregate_HYPHEN_type", "aggregate_HYPHEN_id", "created_HYPHEN_at", "outbox_HYPHEN_id");

    private static final Set<String> OF_THE_OUTBOX = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    static {
        OF_THE_OUTBOX.addAll(Set.of("id", "type", "aggregate-type", "aggregate-id", "created-at", "outbox-id"));
        OF_THE_OUTBOX.addAll(IN_JMS);
    }

    private static final Set<String> OF_A_LOGIN = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    static {
        OF_A_LOGIN.addAll(Set.of("authorization", "proxy-authorization", "cookie", "set-cookie"));
    }

    private ReservedNames() {}

    /** Whether the name is reserved. Allocates nothing, because it is called for each header of each message. */
    public static boolean contains(String name) {
        return controls(name) || OF_THE_OUTBOX.contains(name);
    }

    /** Whether the name is a control header of Camel. */
    static boolean controls(String name) {
        if (!mayControl(name)) {
            return false;
        }
        for (String prefix : CONTROL) {
            if (name.regionMatches(true, 0, prefix, 0, prefix.length())) {
                return true;
            }
        }
        return false;
    }

    /** Whether the first letter is that of a control header, which is rare. Includes the Kelvin sign, which equals k ignoring case. */
    private static boolean mayControl(String name) {
        return !name.isEmpty() && "ckmoCKMO\u212a".indexOf(name.charAt(0)) >= 0;
    }

    /** Whether a header of this name tells a receiver of HTTP who sends, or which session it is. */
    static boolean isOfALogin(String name) {
        return OF_A_LOGIN.contains(name);
    }

    /** Whether Caravan sets a header of this name. */
    static boolean isOfTheOutbox(String name) {
        return OF_THE_OUTBOX.contains(name);
    }
}
