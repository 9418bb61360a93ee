package dev.caravan.routes.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.settings.Settings;
import dev.caravan.relay.Relay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a check of many routes does only once for each of them. */
class ManyRoutesTest {
    private static final String ROUTE = """
            - route:
                id: s%1$d
                from:
                  uri: outbox:s%1$d
                  steps:
                    - to: {uri: "log:s"}
            """;

    private static final String CLAUSE = """
            - routeConfiguration:
                onException:
                  - onException:
                      exception: [java.io.IOException]
                      steps:
                        - to: {uri: "%s"}
            """;

    @TempDir
    Path folder;

    @Test
    void each_file_is_parsed_once() throws Exception {
        routes(5);
        ParsedFiles.clear();

        assertThat(problems(Map.of(ParsedFiles.SETTING, ParsedFiles.VALUE))).isEmpty();

        assertThat(ParsedFiles.names())
                .containsExactlyInAnyOrder("s1", "s2", "s3", "s4", "s5", "dead-letter", "error-handling");
    }

    @Test
    void a_clause_of_the_error_handling_is_checked_once_for_all_routes() throws Exception {
        routes(5);
        Files.writeString(folder.resolve("errors.camel.yaml"), CLAUSE.formatted("counted:failures"));
        CountedComponent.PRODUCERS.set(0);

        assertThat(problems(Map.of("camel.beans.counted", "#class:" + CountedComponent.class.getName())))
                .isEmpty();

        assertThat(CountedComponent.PRODUCERS).hasValue(1);
    }

    @Test
    void a_problem_of_the_error_handling_is_reported_once() throws Exception {
        routes(5);
        Files.writeString(folder.resolve("errors.camel.yaml"), CLAUSE.formatted("nowhere:failures"));

        assertThat(problems(Map.of())).singleElement().asString().contains("there is no component nowhere");
    }

    @Test
    void a_clause_that_cannot_be_created_is_reported_although_the_first_route_has_another_problem() throws Exception {
        routes(5);
        Files.writeString(folder.resolve("s1.camel.yaml"), ROUTE.formatted(1).replace("log:s", "nowhere:s"));
        Files.writeString(
                folder.resolve("errors.camel.yaml"),
                CLAUSE.formatted("log:x").replace("java.io.IOException", "no.Such"));

        assertThat(problems(Map.of()))
                .hasSize(2)
                .anySatisfy(problem -> assertThat(problem).contains("no.Such"))
                .anySatisfy(problem -> assertThat(problem).contains("nowhere"));
    }

    private void routes(int count) throws IOException {
        for (int n = 1; n <= count; n++) {
            Files.writeString(folder.resolve("s" + n + ".camel.yaml"), ROUTE.formatted(n));
        }
    }

    private List<String> problems(Map<String, String> settings) throws Exception {
        var all = new java.util.HashMap<>(settings);
        all.put("caravan.routes", folder.toString());
        try (Configuration checked =
                new Configuration(Settings.load(Path.of("none.properties"), all), Relay.settings())) {
            return checked.findings().stream()
                    .filter(finding -> !finding.ok())
                    .map(CheckResult::toString)
                    .toList();
        }
    }
}
