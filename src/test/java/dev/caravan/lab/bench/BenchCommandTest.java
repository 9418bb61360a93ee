package dev.caravan.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.lab.bench.scenario.Scenario;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class BenchCommandTest {
    private static final int WRONG_USE = 2;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void an_unknown_scenario_is_refused_with_the_known_ones() {
        assertThat(run("drian")).isEqualTo(WRONG_USE);
        assertThat(err.toString()).contains("no scenario drian").contains("drain, poison, failing, blocked-key");
    }

    @ParameterizedTest
    @CsvSource({
        "--rounds=0",
        "--messages=0",
        "--bytes=1",
        "--keys=0",
        "--batch=10001",
        "--seconds=0",
        "--outage=soon",
        "--subscriptions=0"
    })
    void a_size_that_makes_no_sense_is_refused_before_anything_starts(String option) {
        assertThat(run(option)).isEqualTo(WRONG_USE);
        assertThat(err.toString()).contains(option.substring(0, option.indexOf('=')) + " must be");
    }

    @Test
    void help_names_every_scenario() {
        assertThat(run("--help")).isZero();
        for (Scenario scenario : Scenarios.ALL) {
            assertThat(out.toString()).contains(scenario.name());
        }
    }

    private int run(String... arguments) {
        return new CommandLine(new BenchCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }
}
