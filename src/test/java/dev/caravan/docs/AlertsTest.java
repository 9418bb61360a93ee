package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The alert rules refer to metrics, commands and runbooks that exist, and each has a unit test. */
class AlertsTest {
    static Stream<AlertRules.Rule> rules() {
        return AlertRules.all().stream();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void a_rule_says_how_bad_it_is_which_subscription_and_what_to_do_first(AlertRules.Rule rule) {
        assertThat(rule.severity()).isIn("warning", "critical");
        assertThat(rule.annotation("summary")).isNotBlank();
        assertThat(rule.annotation("description")).containsPattern("First \\w+ .+\\.$");
        if (rule.expression().contains("subscription) (")) {
            assertThat(rule.annotation("summary")).contains("{{ $labels.subscription }}");
            assertThat(rule.annotation("description")).contains("{{ $labels.subscription }}");
        }
    }

    @ParameterizedTest
    @MethodSource("rules")
    void a_rule_asks_for_metrics_that_exist(AlertRules.Rule rule) {
        assertThat(Metrics.in(rule.expression())).isNotEmpty();
        assertThat(Metrics.known()).containsAll(Metrics.in(rule.expression()));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void a_rule_leads_to_the_runbook_of_its_name(AlertRules.Rule rule) {
        String runbook = "docs/runbooks/" + rule.runbook() + ".md";

        assertThat(rule.annotation("runbook_url")).isEqualTo(runbook);
        assertThat(Path.of(runbook)).exists();
    }

    @Test
    void the_unit_tests_see_each_rule_fire() {
        assertThat(AlertRules.testedToFire())
                .containsAll(rules().map(AlertRules.Rule::toString).toList());
    }

    @Test
    void the_page_lists_the_alerts_with_their_severities() {
        assertThat(page().rows("## Alerts").stream().map(row -> row.get(0)))
                .containsExactlyElementsOf(
                        rules().map(AlertRules.Rule::alert).distinct().toList());
        for (List<String> row : page().rows("## Alerts")) {
            String severities =
                    (row.get(1).isEmpty() ? "" : "warning") + (row.get(2).isEmpty() ? "" : "critical");

            assertThat(severities)
                    .as(row.get(0))
                    .isEqualTo(rules().filter(rule -> rule.alert().equals(row.get(0)))
                            .map(AlertRules.Rule::severity)
                            .distinct()
                            .sorted(java.util.Comparator.reverseOrder())
                            .collect(Collectors.joining()));
        }
    }

    @Test
    void the_alerts_that_the_page_inhibits_exist() throws Exception {
        var names = rules().map(AlertRules.Rule::alert).toList();
        for (var rule : new YAMLMapper().readTree(page().blocks("yml").get(1)).path("inhibit_rules")) {
            for (String side : List.of("source_matchers", "target_matchers")) {
                rule.path(side).forEach(matcher -> assertThat(matcher.asText())
                        .matches("severity = (warning|critical)|alertname =~? \"?(" + String.join("|", names)
                                + "|\\|)+\"?"));
            }
        }
    }

    private static DocsPage page() {
        return DocsPage.read("docs/monitoring/README.md");
    }
}
