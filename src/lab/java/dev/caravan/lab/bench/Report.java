package dev.caravan.lab.bench;

import java.util.List;
import java.util.Map;

/**
 * A finished run of the benchmark.
 *
 * @param arguments what was typed after {@code caravan bench}
 * @param machine what it ran on
 * @param loadBefore average number of processes that wanted a core in the minute before
 */
record Report(
        List<ScenarioResult> results, Size size, String arguments, Map<String, String> machine, String loadBefore) {
    boolean failed() {
        return results.stream().anyMatch(ScenarioResult::failed);
    }
}
