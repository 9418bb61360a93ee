package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code promtool} says about the alert rules and the configuration of Prometheus. */
class PromtoolIT {
    @TempDir
    private Path folder;

    @Test
    @Tag("long")
    void the_unit_tests_of_the_rules_pass() throws Exception {
        promtool("test", "rules", AlertRules.FOLDER.resolve("alerts_test.yaml").toString());
    }

    @Test
    void the_configuration_in_the_page_is_accepted() throws Exception {
        Files.copy(AlertRules.FOLDER.resolve("alerts.yaml"), folder.resolve("alerts.yaml"));
        Path configuration = Files.writeString(
                folder.resolve("prometheus.yml"),
                DocsPage.read("docs/monitoring/README.md").blocks("yml").get(0));

        promtool("check", "config", configuration.toString());
    }

    /** Skips the test if promtool is missing, but fails it where all tests must run. */
    private static void promtool(String... arguments) throws IOException, InterruptedException {
        boolean there = Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "promtool")));
        assumeTrue(
                there || "true".equals(System.getenv("CI")),
                "promtool is not on the PATH; it is part of Debian's package prometheus");
        Process promtool = new ProcessBuilder(Stream.concat(Stream.of("promtool"), Stream.of(arguments))
                        .toList())
                .redirectErrorStream(true)
                .start();
        String output = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(promtool.waitFor()).as(output).isZero();
    }
}
