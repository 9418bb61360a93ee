package dev.caravan.camel.headers;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.camel.spi.HeadersMapFactory;

/**
 * Makes the two names of a control header of Kafka one header, whichever of them a route writes and camel-kafka reads: Camel before 4.18.3
 * calls it {@code kafka.OVERRIDE_TOPIC}, and later versions {@code CamelKafkaOverrideTopic}.
 */
public final class KafkaHeaderNames implements HeadersMapFactory {
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

    private static final Comparator<String> SAME =
            (one, other) -> String.CASE_INSENSITIVE_ORDER.compare(newer(one), newer(other));

    private static String inCamelCase(String name) {
        return Stream.of(name.split("_"))
                .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                .collect(Collectors.joining("", "CamelKafka", ""));
    }

    /** The newer name of a header; the name itself if it has no other. Called for each comparison of two names. */
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
        return SAME.compare(one, other) == 0;
    }

    /** The newer and the older name of a header; the name alone if it has no other. */
    public static List<String> both(String name) {
        return NEWER.entrySet().stream()
                .filter(each -> same(name, each.getKey()))
                .map(each -> List.of(each.getValue(), each.getKey()))
                .findFirst()
                .orElse(List.of(name));
    }

    @Override
    public Map<String, Object> newMap() {
        return new TreeMap<>(SAME);
    }

    /** If a map has both names of a header, the value of the newer one counts. */
    @Override
    public Map<String, Object> newMap(Map<String, Object> headers) {
        Map<String, Object> all = newMap();
        headers.forEach((name, value) -> {
            if (newer(name).equals(name)) {
                all.put(name, value);
            } else {
                all.putIfAbsent(name, value);
            }
        });
        return all;
    }

    @Override
    public boolean isInstanceOf(Map<String, Object> map) {
        return map instanceof TreeMap<String, Object> tree && tree.comparator() == SAME;
    }

    @Override
    public boolean isCaseInsensitive() {
        return true;
    }
}
