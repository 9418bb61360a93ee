package dev.caravan.headers;

import java.util.Set;
import java.util.TreeSet;

/**
 * Names that a header of a row cannot have, in any case: those by which Camel's components are controlled, such as
 * {@code CamelHttpUri} and {@code kafka.OVERRIDE_TOPIC}, and those that Caravan sets.
 */
public final class ReservedNames {
    /** Camel 4.18 reads {@code kafka.KEY} and its like from messages; everything else begins with Camel. */
    private static final String[] CONTROL = {"camel", "org.apache.camel.", "kafka."};

    private static final Set<String> OF_THE_OUTBOX = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    static {
        OF_THE_OUTBOX.addAll(Set.of("id", "type", "aggregate-type", "aggregate-id", "created-at", "outbox-id"));
    }

    private ReservedNames() {}

    /** Whether no header of a row may have this name. Allocates nothing: asked for each header of each message. */
    public static boolean contains(String name) {
        return controls(name) || OF_THE_OUTBOX.contains(name);
    }

    /** Whether the name is that of a header that controls a component of Camel. */
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

    /** Whether it has the first letter of a name that controls a component: most headers do not. Includes the sign for Kelvin, a k. */
    private static boolean mayControl(String name) {
        return !name.isEmpty() && "ckoCKO\u212a".indexOf(name.charAt(0)) >= 0;
    }

    /** Whether Caravan sets a header of this name. */
    static boolean isOfTheOutbox(String name) {
        return OF_THE_OUTBOX.contains(name);
    }
}
