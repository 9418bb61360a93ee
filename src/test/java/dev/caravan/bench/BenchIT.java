package dev.caravan.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Every scenario runs to its end with a handful of messages; how fast is not a matter of tests. */
class BenchIT {
    @Test
    void every_scenario_is_measured_and_checked(@TempDir Path folder) throws Exception {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Path page = folder.resolve("RESULTS.md");

        int exit = new CommandLine(new BenchCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(
                        "all",
                        "--rounds=1",
                        "--messages=300",
                        "--keys=10",
                        "--batch=50",
                        "--seconds=1",
                        "--outage=1s",
                        // programs that live for seconds start quicker this way
                        "--java-option=-XX:TieredStopAtLevel=1",
                        "--java-option=-XX:+UseSerialGC",
                        "--output=json",
                        "--report=" + page);

        assertThat(exit).as("%s%n%s", out, err).isZero();
        JsonNode scenarios = new ObjectMapper().readTree(out.toString()).path("scenarios");
        for (Scenario scenario : Scenarios.ALL) {
            JsonNode result = scenarios.path(scenario.name());
            assertThat(result.path("goals")).as(scenario.name()).isNotEmpty();
            assertThat(result.path("caravan")).as(scenario.name()).isNotEmpty();
            assertThat(Files.readString(page)).contains("## " + scenario.name());
        }
        assertThat(scenarios.at("/drain/limit/rate").asDouble()).isPositive();
        assertThat(scenarios.at("/drain/naive/rate").asDouble()).isPositive();
        assertThat(scenarios.at("/drain/ratioToLimit").asDouble()).isPositive();
        assertThat(scenarios.at("/latency/caravan/p99At2000").asDouble()).isPositive();
    }
}
