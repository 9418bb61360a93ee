package dev.caravan.lab.bench;

import java.util.List;
import java.util.Map;

/**
 * A finished run of the benchmark.
 *
 * @param arguments the arguments after {@code caravan bench}
 * @param machine facts about the machine and the servers
 * @param loadBefore load average of the minute before the run
 */
record BenchReport(
        List<ScenarioResult> results, Size size, String arguments, Map<String, String> machine, String loadBefore) {
    boolean failed() {
        return results.stream().anyMatch(ScenarioResult::failed);
    }
}
