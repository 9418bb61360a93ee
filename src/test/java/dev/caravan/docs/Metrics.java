package dev.caravan.docs;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Which metrics there are, and which ones an expression of PromQL asks for. */
final class Metrics {
    /** What Prometheus itself and the JVM add to those of Caravan. */
    private static final Set<String> OF_OTHERS = Set.of(
            "up",
            "jvm_memory_used_bytes",
            "jvm_memory_max_bytes",
            "jvm_gc_pause_seconds",
            "jvm_threads_live_threads",
            "process_cpu_usage");

    private static final Pattern STRING = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"");
    private static final Pattern SELECTOR_OR_RANGE = Pattern.compile("\\{[^}]*}|\\[[^]]*]");
    private static final Pattern LABELS_OF_VARIABLE = Pattern.compile("label_values\\((\\w+), \\w+\\)");
    private static final Pattern LABELS =
            Pattern.compile("\\b(?:by|without|on|ignoring|group_left|group_right) *\\([^)]*\\)");
    private static final Pattern NAME = Pattern.compile("\\b[a-zA-Z_:][\\w:]*\\b(?! *\\()");
    private static final Set<String> OPERATORS = Set.of("and", "or", "unless", "bool", "offset");

    private Metrics() {}

    /** The metrics of docs/monitoring.md, and those of others that rules and dashboard may use. */
    static Set<String> known() {
        Set<String> known = new TreeSet<>(OF_OTHERS);
        known.addAll(CONTRACT);
        return known;
    }

    /** The names of metrics in an expression, without what Prometheus appends for the parts of a summary or a histogram. */
    static Set<String> in(String expression) {
        String names = STRING.matcher(expression).replaceAll("\"\"");
        names = SELECTOR_OR_RANGE.matcher(names).replaceAll("");
        names = LABELS_OF_VARIABLE.matcher(names).replaceAll("$1");
        names = LABELS.matcher(names).replaceAll("");
        return NAME.matcher(names)
                .results()
                .map(found -> found.group().replaceFirst("_(bucket|sum|count)$", ""))
                .filter(name -> !OPERATORS.contains(name))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static final Set<String> CONTRACT = Set.of(
            "caravan_lag_seconds",
            "caravan_backlog_messages",
            "caravan_delivered_messages_total",
            "caravan_attempts_failed_total",
            "caravan_retry_waiting_messages",
            "caravan_blocked_messages",
            "caravan_blocked_keys",
            "caravan_blocked_oldest_seconds",
            "caravan_dead_letters",
            "caravan_dead_lettered_total",
            "caravan_gap_open_ids",
            "caravan_gap_oldest_seconds",
            "caravan_in_flight_messages",
            "caravan_delivery_latency_seconds",
            "caravan_batch_messages",
            "caravan_read_seconds",
            "caravan_acknowledge_seconds",
            "caravan_poll_age_seconds",
            "caravan_lease_held",
            "caravan_lease_epoch",
            "caravan_lease_lost_total",
            "caravan_destination_available",
            "caravan_paused",
            "caravan_partitions_ahead",
            "caravan_partition_oldest_seconds",
            "caravan_pruning_held_back",
            "caravan_up_to_date_seconds");
}
