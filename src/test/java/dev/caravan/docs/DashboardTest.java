package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Mistakes in the dashboard that Grafana would show only as an empty panel or as overlapping panels. */
class DashboardTest {
    private static final int COLUMNS = 24;

    private static JsonNode dashboard;

    @BeforeAll
    static void read() throws Exception {
        dashboard = new ObjectMapper()
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
                .readTree(AlertRules.FOLDER.resolve("dashboard.json").toFile());
    }

    @Test
    void it_is_for_grafana_10_and_has_its_rows_and_variables() {
        assertThat(dashboard.path("schemaVersion").asInt()).isBetween(37, 39);
        assertThat(panels().filter(DashboardTest::isRow)
                        .map(row -> row.path("title").asText()))
                .containsExactly(
                        "At a glance", "Failures", "Latency", "Lanes and leases", "Intakes", "Database", "JVM");
        assertThat(dashboard.at("/templating/list").findValuesAsText("name"))
                .containsExactly("datasource", "job", "subscription");
    }

    @Test
    void each_panel_asks_for_metrics_that_exist() {
        for (JsonNode panel : panels().filter(panel -> !isRow(panel)).toList()) {
            assertThat(panel.path("targets")).as(title(panel)).isNotEmpty();
            for (JsonNode target : panel.path("targets")) {
                String expression = target.path("expr").asText();
                assertThat(Metrics.in(expression)).as(expression).isNotEmpty();
                assertThat(Metrics.known()).as(title(panel)).containsAll(Metrics.in(expression));
            }
        }
    }

    @Test
    void each_variable_asks_for_metrics_that_exist() {
        for (JsonNode variable : dashboard.at("/templating/list")) {
            if (variable.path("type").asText().equals("query")) {
                assertThat(Metrics.known())
                        .containsAll(Metrics.in(variable.at("/query/query").asText()));
            }
        }
    }

    @Test
    void each_panel_uses_the_chosen_data_source_and_outbox_and_says_what_it_shows() {
        for (JsonNode panel : panels().filter(panel -> !isRow(panel)).toList()) {
            assertThat(panel.at("/datasource/uid").asText()).as(title(panel)).isEqualTo("${datasource}");
            assertThat(panel.path("description").asText()).as(title(panel)).endsWith(".");
            assertThat(panel.path("targets").findValuesAsText("expr"))
                    .as(title(panel))
                    .allMatch(expression -> expression.contains("{job=~\"$job\""));
        }
    }

    @Test
    void every_metric_of_caravan_is_on_it() {
        Set<String> shown = new HashSet<>();
        panels().forEach(panel -> panel.path("targets")
                .findValuesAsText("expr")
                .forEach(expression -> shown.addAll(Metrics.in(expression))));

        assertThat(shown)
                .containsAll(Metrics.known().stream()
                        .filter(name -> name.startsWith("caravan_"))
                        .toList());
    }

    @Test
    void no_two_panels_have_the_same_id() {
        assertThat(panels().map(panel -> panel.path("id").asInt())).doesNotHaveDuplicates();
    }

    @Test
    void no_two_panels_overlap_and_none_is_too_wide() {
        Set<List<Integer>> taken = new HashSet<>();
        for (JsonNode panel : panels().toList()) {
            for (List<Integer> cell : cells(panel.path("gridPos"))) {
                assertThat(cell.get(0)).as(title(panel)).isBetween(0, COLUMNS - 1);
                assertThat(taken.add(cell)).as("%s at %s", title(panel), cell).isTrue();
            }
        }
    }

    private static List<List<Integer>> cells(JsonNode position) {
        List<List<Integer>> cells = new ArrayList<>();
        for (int x = 0; x < position.path("w").asInt(); x++) {
            for (int y = 0; y < position.path("h").asInt(); y++) {
                cells.add(List.of(
                        position.path("x").asInt() + x, position.path("y").asInt() + y));
            }
        }
        return cells;
    }

    private static Stream<JsonNode> panels() {
        return StreamSupport.stream(dashboard.path("panels").spliterator(), false);
    }

    private static boolean isRow(JsonNode panel) {
        return panel.path("type").asText().equals("row");
    }

    private static String title(JsonNode panel) {
        return panel.path("title").asText();
    }
}
