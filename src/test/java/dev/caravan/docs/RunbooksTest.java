package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RunbooksTest {
    static Stream<Page> runbooks() {
        return Page.all().stream().filter(page -> page.path().startsWith("docs/runbooks"));
    }

    @ParameterizedTest
    @MethodSource("runbooks")
    void a_runbook_tells_meaning_impact_diagnosis_and_mitigation(Page runbook) {
        List<String> headings = Pattern.compile("(?m)^## (.+)$")
                .matcher(runbook.text())
                .results()
                .map(found -> found.group(1))
                .toList();

        assertThat(headings).containsExactly("Meaning", "Impact", "Diagnosis", "Mitigation");
    }

    @ParameterizedTest
    @MethodSource("runbooks")
    void a_runbook_has_a_command_to_paste(Page runbook) {
        assertThat(Stream.of("sh", "sql").flatMap(language -> runbook.blocks(language).stream()))
                .isNotEmpty();
    }

    @Test
    void operations_leads_to_every_runbook() {
        List<String> names =
                runbooks().map(page -> "runbooks/" + page.path().getFileName()).toList();

        assertThat(names).isNotEmpty();
        assertThat(Page.read("docs/operations.md").links()).containsAll(names);
    }
}
