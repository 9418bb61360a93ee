package dev.caravan.lab.bench.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.figure.RoundValues;

/**
 * The report for programs: {@code scenarios.<scenario>.<row>.<figure>} is a median. The suffixes {@code Min} and {@code Max} of
 * the name of a figure mark the minimum and maximum. {@code scenarios.<scenario>.ratioToLimit} is Caravan's rate relative to the limit.
 */
public final class JsonReport {
    private JsonReport() {}

    public static ObjectNode of(BenchReport report) {
        ObjectNode root = new ObjectMapper().createObjectNode();
        root.put("arguments", report.arguments()).put("rounds", report.size().rounds());
        ObjectNode machine = root.putObject("machine");
        report.machine().forEach(machine::put);
        machine.put("loadBefore", report.loadBefore());
        ObjectNode scenarios = root.putObject("scenarios");
        report.results()
                .forEach(result ->
                        add(result, scenarios.putObject(result.scenario().name())));
        return root;
    }

    private static void add(ScenarioResult result, ObjectNode scenario) {
        Figures figures = result.figures();
        figures.rows().forEach((row, all) -> {
            ObjectNode node = scenario.putObject(key(row));
            all.forEach((figure, samples) -> put(node, figure.name(), samples));
        });
        figures.ratioToLimit("caravan").ifPresent(ratio -> put(scenario, "ratioToLimit", ratio));
        var goals = scenario.putArray("goals");
        for (Goal goal : result.goals()) {
            goals.addObject()
                    .put("promise", goal.promise())
                    .put("found", rounded(goal.found()))
                    .put("met", goal.met());
        }
        if (result.failed()) {
            scenario.put("failure", result.failure());
        }
    }

    private static void put(ObjectNode node, String name, RoundValues samples) {
        node.put(name, rounded(samples.median()))
                .put(name + "Min", rounded(samples.min()))
                .put(name + "Max", rounded(samples.max()));
    }

    private static double rounded(double value) {
        return Math.round(value * 1000) / 1000.0;
    }

    /** The name of a row in JSON: {@code failure-free} becomes {@code failureFree}. */
    private static String key(String row) {
        StringBuilder key = new StringBuilder();
        for (String word : row.split("[ -]")) {
            key.append(
                    key.isEmpty() ? word : word.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + word.substring(1));
        }
        return key.toString();
    }
}
