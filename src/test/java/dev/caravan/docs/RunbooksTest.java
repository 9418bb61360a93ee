package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.operate.explain.Problem;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RunbooksTest {
    private static final Set<String> CONSOLE_PAGES = Set.of(
            "Overview",
            "Routes",
            "Subscription",
            "Intake",
            "Dead letters",
            "Retries",
            "Messages",
            "Relays",
            "Partitions",
            "Audit",
            "Jobs");

    private static final Pattern SIGNS =
            Pattern.compile("\\A# .+\\n\\nAlert: `(\\w+)`\\. Metrics?: (.+)\\. Console: (.+)\\.\\n\\n## Meaning\\n");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern EMPHASIS = Pattern.compile("\\*([^*]+)\\*");

    static Stream<DocsPage> runbooks() {
        return DocsPage.all().stream().filter(page -> page.path().startsWith("docs/runbooks"));
    }

    @ParameterizedTest
    @MethodSource("runbooks")
    void a_runbook_describes_meaning_impact_diagnosis_mitigation_and_escalation(DocsPage runbook) {
        List<String> headings = Pattern.compile("(?m)^## (.+)$")
                .matcher(runbook.text())
                .results()
                .map(found -> found.group(1))
                .toList();

        assertThat(headings).containsExactly("Meaning", "Impact", "Diagnosis", "Mitigation", "Escalation");
    }

    @ParameterizedTest
    @MethodSource("runbooks")
    void a_runbook_has_a_command_to_paste(DocsPage runbook) {
        assertThat(Stream.of("sh", "sql").flatMap(language -> runbook.blocks(language).stream()))
                .isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("runbooks")
    void a_runbook_names_its_alert_the_metrics_of_it_and_pages_of_the_console(DocsPage runbook) {
        MatchResult signs = signs(runbook);
        Set<String> asked = AlertRules.all().stream()
                .filter(rule -> rule.alert().equals(signs.group(1)))
                .peek(rule -> assertThat(rule.runbook()).isEqualTo(name(runbook)))
                .flatMap(rule -> Metrics.in(rule.expression()).stream())
                .collect(Collectors.toSet());

        assertThat(found(CODE, signs.group(2))).containsAnyElementsOf(asked);
        assertThat(Metrics.known()).containsAll(found(CODE, signs.group(2)));
        assertThat(CONSOLE_PAGES).containsAll(found(EMPHASIS, signs.group(3)));
    }

    @Test
    void every_alert_and_every_problem_has_a_runbook_and_no_runbook_is_left_over() {
        Set<String> names = new TreeSet<>();
        Stream.of(Problem.Name.values()).forEach(problem -> names.add(problem.toString()));
        AlertRules.all().forEach(rule -> names.add(rule.runbook()));

        assertThat(runbooks().map(RunbooksTest::name)).containsExactlyInAnyOrderElementsOf(names);
    }

    @Test
    void operations_leads_to_every_runbook() {
        List<String> names =
                runbooks().map(page -> "runbooks/" + page.path().getFileName()).toList();

        assertThat(names).isNotEmpty();
        assertThat(DocsPage.read("docs/operations.md").links()).containsAll(names);
    }

    private static MatchResult signs(DocsPage runbook) {
        var signs = SIGNS.matcher(runbook.text());
        assertThat(signs.find())
                .as("%s begins with alert, metrics and console", runbook)
                .isTrue();
        return signs.toMatchResult();
    }

    private static List<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(found -> found.group(1)).toList();
    }

    private static String name(DocsPage runbook) {
        return runbook.path().getFileName().toString().replace(".md", "");
    }
}
