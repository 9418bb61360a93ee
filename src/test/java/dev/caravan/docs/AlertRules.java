package dev.caravan.docs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The rules of docs/monitoring/alerts.yaml, and which alerts its unit tests expect. */
final class AlertRules {
    static final Path FOLDER = Path.of("docs", "monitoring");

    private AlertRules() {}

    /** One rule: several may have the name of one alert. */
    record Rule(String alert, String expression, String severity, JsonNode annotations) {
        /** The file of its runbook: {@code LagHigh} has lag-high. */
        String runbook() {
            return alert.replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase();
        }

        String annotation(String name) {
            return annotations.path(name).asText();
        }

        @Override
        public String toString() {
            return alert + " (" + severity + ")";
        }
    }

    static List<Rule> all() {
        List<Rule> all = new ArrayList<>();
        for (JsonNode group : yaml("alerts.yaml").path("groups")) {
            for (JsonNode rule : group.path("rules")) {
                all.add(new Rule(
                        rule.path("alert").asText(),
                        rule.path("expr").asText(),
                        rule.at("/labels/severity").asText(),
                        rule.path("annotations")));
            }
        }
        return all;
    }

    /** Name and severity of the alerts that the unit tests expect to fire, with their texts. */
    static Set<String> testedToFire() {
        Set<String> tested = new TreeSet<>();
        for (JsonNode test : yaml("alerts_test.yaml").path("tests")) {
            for (JsonNode expected : test.path("alert_rule_test")) {
                for (JsonNode alert : expected.path("exp_alerts")) {
                    tested.add(expected.path("alertname").asText() + " ("
                            + alert.at("/exp_labels/severity").asText() + ")");
                }
            }
        }
        return tested;
    }

    private static JsonNode yaml(String file) {
        try {
            return new YAMLMapper().readTree(FOLDER.resolve(file).toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
