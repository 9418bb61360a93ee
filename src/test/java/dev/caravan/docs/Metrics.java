package dev.caravan.docs;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The metrics that exist, and those that an expression of PromQL uses. */
final class Metrics {
    /** The metrics of Prometheus itself and of the JVM. */
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
        DocsPage.read("docs/monitoring.md").rows("## Metrics").forEach(row -> known.add(row.get(0)));
        return known;
    }

    /** Name, type and tags of each metric of docs/monitoring.md. */
    static Stream<String[]> onPage() {
        DocsPage page = DocsPage.read("docs/monitoring.md");
        return Stream.of(
                        Map.entry("### Metrics of a lane", "subscription lane"),
                        Map.entry("### Metrics of a subscription", "subscription"),
                        Map.entry("### Metrics of an intake", "intake"),
                        Map.entry("### Metrics of the relay", ""),
                        Map.entry("### Metrics of the outbox", ""))
                .flatMap(section -> page.rows(section.getKey()).stream().map(row ->
                        new String[] {row.get(0), row.get(1), (section.getValue() + " " + row.get(3)).strip()}));
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
}
