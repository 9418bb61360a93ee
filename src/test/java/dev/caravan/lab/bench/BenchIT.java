package dev.caravan.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Scenarios run to their end with a handful of messages; how fast is not a matter of tests. The others differ in their routes
 * and counts, and would take minutes.
 */
@Tag("long")
class BenchIT {
    @Test
    void scenarios_are_measured_and_checked(@TempDir Path folder) throws Exception {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Path page = folder.resolve("RESULTS.md");

        int exit = new CommandLine(new BenchCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(
                        "drain",
                        "latency",
                        "capture",
                        "--rounds=1",
                        "--messages=300",
                        "--keys=10",
                        "--batch=50",
                        "--seconds=1",
                        // programs that run for seconds start faster with these options
                        "--java-option=-XX:TieredStopAtLevel=1",
                        "--java-option=-XX:+UseSerialGC",
                        "--output=json",
                        "--report=" + page);

        assertThat(exit).as("%s%n%s", out, err).isZero();
        JsonNode scenarios = new ObjectMapper().readTree(out.toString()).path("scenarios");
        for (String scenario : List.of("drain", "latency")) {
            JsonNode result = scenarios.path(scenario);
            assertThat(result.path("goals")).as(scenario).isNotEmpty();
            assertThat(result.path("caravan")).as(scenario).isNotEmpty();
            assertThat(Files.readString(page)).contains("## " + scenario);
        }
        assertThat(scenarios.at("/drain/limit/rate").asDouble()).isPositive();
        assertThat(scenarios.at("/drain/naive/rate").asDouble()).isPositive();
        assertThat(scenarios.at("/drain/ratioToLimit").asDouble()).isPositive();
        assertThat(scenarios.at("/capture/perRow/bulkToNone").asDouble()).isPositive();
        assertThat(scenarios.at("/latency/caravan/p99At2000").asDouble()).isPositive();
    }
}
