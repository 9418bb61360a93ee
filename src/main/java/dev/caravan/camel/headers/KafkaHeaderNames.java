package dev.caravan.camel.headers;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The two names of each control header of Kafka: Camel before 4.18.3 calls it {@code kafka.OVERRIDE_TOPIC}, and later versions
 * {@code CamelKafkaOverrideTopic}. A route may set either.
 */
public final class KafkaHeaderNames {
    private static final String OLDER = "kafka.";

    /** The newer name by the older one. */
    private static final Map<String, String> NEWER = Stream.of(
                    "PARTITION_KEY",
                    "PARTITION",
                    "KEY",
                    "TOPIC",
                    "OVERRIDE_TOPIC",
                    "OFFSET",
                    "HEADERS",
                    "LAST_RECORD_BEFORE_COMMIT",
                    "LAST_POLL_RECORD",
                    "TIMESTAMP",
                    "OVERRIDE_TIMESTAMP",
                    "RECORD_META")
            .collect(Collectors.toMap(name -> OLDER + name, KafkaHeaderNames::inCamelCase));

    private KafkaHeaderNames() {}

    private static String inCamelCase(String name) {
        return Stream.of(name.split("_"))
                .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                .collect(Collectors.joining("", "CamelKafka", ""));
    }

    /** The newer name of a header; the name itself if it has no other. */
    public static String newer(String name) {
        boolean mayBeOlder = name.length() > OLDER.length()
                && (name.charAt(0) | 0x20) == 'k'
                && name.regionMatches(true, 0, OLDER, 0, OLDER.length());
        if (!mayBeOlder) {
            return name;
        }
        String newer = NEWER.get(name);
        return newer != null
                ? newer
                : NEWER.getOrDefault(OLDER + name.substring(OLDER.length()).toUpperCase(Locale.ROOT), name);
    }

    /** Whether two names are those of one header. */
    public static boolean same(String one, String other) {
        return newer(one).equalsIgnoreCase(newer(other));
    }

    /** The newer and the older name of a header; the name alone if it has no other. */
    public static List<String> both(String name) {
        return NEWER.entrySet().stream()
                .filter(each -> same(name, each.getKey()))
                .map(each -> List.of(each.getValue(), each.getKey()))
                .findFirst()
                .orElse(List.of(name));
    }
}
