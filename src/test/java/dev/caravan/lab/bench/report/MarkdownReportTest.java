package dev.caravan.lab.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.lab.bench.failure.Poison;
import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.run.Size;
import dev.caravan.lab.bench.scenario.Drain;
import dev.caravan.lab.bench.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MarkdownReportTest {
    private static final Size SIZE =
            new Size(3, 0, 194, 1_000, 1_000, 10, Duration.ofMinutes(1), Duration.ofMinutes(30), List.of(1));

    private Path page;

    @BeforeEach
    void choosePage(@TempDir Path folder) {
        page = folder.resolve("RESULTS.md");
    }

    @Test
    void a_run_replaces_the_section_of_its_scenario_and_leaves_the_others() throws IOException {
        write(new Poison(), 1_111);
        write(new Drain(), 2_222);
        write(new Drain(), 3_333);

        assertThat(Files.readString(page))
                .containsOnlyOnce("## drain")
                .contains("3,333")
                .doesNotContain("2,222")
                .containsOnlyOnce("## poison")
                .contains("1,111");
    }

    @Test
    void writing_the_same_again_changes_nothing() throws IOException {
        write(new Drain(), 1_111);
        String before = Files.readString(page);
        write(new Drain(), 1_111);

        assertThat(Files.readString(page)).isEqualTo(before);
    }

    @Test
    void a_section_says_how_it_was_made_and_whether_goals_were_met() throws IOException {
        write(new Drain(), 1_111);

        assertThat(Files.readString(page))
                .contains("./caravan bench drain --rounds 3")
                .contains("load average before: 0.50")
                .contains("processor: Abacus")
                .contains("rate, at least 2,000: 1,111, MISSED");
    }

    private void write(Scenario scenario, double rate) throws IOException {
        Figures figures = new Figures(line -> {});
        figures.add("caravan", Figure.RATE, rate);
        ScenarioResult result = new ScenarioResult(scenario, figures, List.of(Goal.atLeast("rate", 2_000, rate)), "");
        MarkdownReport.write(
                new BenchReport(List.of(result), SIZE, "drain --rounds 3", Map.of("processor", "Abacus"), "0.50"),
                page);
    }
}
