package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.adopt.doctor.FindingKind;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The page about the doctor lists its findings, and each of them is tested. */
class DoctorPageTest {
    @Test
    void the_page_lists_each_finding_with_its_severities() {
        List<String> onPage = DocsPage.read("docs/doctor.md").rows("## Findings").stream()
                .map(row -> row.get(0) + ": " + row.get(1))
                .toList();

        assertThat(onPage)
                .containsExactlyElementsOf(Stream.of(FindingKind.values())
                        .map(kind -> kind.id() + ": "
                                + kind.severities().stream()
                                        .map(Object::toString)
                                        .sorted((a, b) -> severityOrder(b) - severityOrder(a))
                                        .collect(Collectors.joining(", ")))
                        .toList());
    }

    /** The page lists the severities from the lowest to the highest. */
    private static int severityOrder(String severity) {
        return List.of("critical", "warning", "note").indexOf(severity);
    }

    @ParameterizedTest
    @EnumSource
    void a_finding_is_tested_on_a_database_that_has_it(FindingKind kind) {
        String tests = String.join(
                "", DocsPage.sources("src/test/java/dev/caravan/adopt/doctor").values());

        assertThat(tests).containsPattern("\\b" + kind.name() + "\\b");
    }
}
