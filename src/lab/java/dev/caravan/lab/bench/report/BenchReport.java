package dev.caravan.lab.bench.report;

import dev.caravan.lab.bench.run.Size;
import java.util.List;
import java.util.Map;

/**
 * A finished run of the benchmark.
 *
 * @param arguments the arguments after {@code caravan bench}
 * @param machine facts about the machine and the servers
 * @param loadBefore load average of the minute before the run
 */
public record BenchReport(
        List<ScenarioResult> results, Size size, String arguments, Map<String, String> machine, String loadBefore) {
    public boolean failed() {
        return results.stream().anyMatch(ScenarioResult::failed);
    }
}
