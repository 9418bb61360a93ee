package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.camel.outbox.OutboxComponent;
import dev.caravan.camel.outbox.OutboxEndpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.camel.spi.UriParams;
import org.junit.jupiter.api.Test;

/**
 * docs/configuration.md has each option that {@code outbox:} itself adds, with its default; no other.
 */
class OptionsPageTest {
    private static final Pattern LIMITS_IN_CODE =
            Pattern.compile("(?:within|time)\\(\"(\\w+)\", [^;]*?, \"?([\\w]+)\"?, \"?([\\w]+)\"?\\);");

    private final DocsPage page = DocsPage.read("docs/configuration.md");

    @Test
    void the_options_of_a_subscription_are_on_the_page_with_their_defaults() throws IOException {
        assertThat(defaults("## Options of a subscription"))
                .isEqualTo(own(OutboxEndpoint.class, "properties", "consumer"));
    }

    @Test
    void the_options_of_a_destination_are_on_the_page_with_their_defaults() throws IOException {
        assertThat(defaults("## Options of `outbox:` as a destination"))
                .isEqualTo(own(OutboxEndpoint.class, "properties", "producer"));
    }

    @Test
    void the_options_of_the_component_are_on_the_page_with_their_defaults() throws IOException {
        assertThat(defaults("## Options of the component"))
                .isEqualTo(own(OutboxComponent.class, "componentProperties", ""));
    }

    @Test
    void the_page_states_the_limits_that_are_checked() throws IOException {
        String code = Files.readString(Path.of("src/main/java/dev/caravan/camel/outbox/ConsumerCheck.java"));
        Map<String, String> units = new TreeMap<>();
        page.rows("## Options of a subscription").forEach(row -> units.put(row.get(0), row.get(2)));
        page.rows("## Options of the component").forEach(row -> units.put(row.get(0), row.get(2)));

        List<MatchResult> limits = LIMITS_IN_CODE.matcher(code).results().toList();

        assertThat(limits).hasSizeGreaterThanOrEqualTo(5);
        for (MatchResult limit : limits) {
            String range =
                    limit.group(2).replace("_", "") + " to " + limit.group(3).replace("_", "");
            assertThat(units.get(limit.group(1))).as(limit.group(1)).endsWith(range);
        }
    }

    private Map<String, String> defaults(String heading) {
        List<List<String>> rows = page.rows(heading);
        assertThat(rows).isNotEmpty();
        return rows.stream().collect(Collectors.toMap(row -> row.get(0), row -> row.get(1), (a, b) -> a, TreeMap::new));
    }

    /** Options of the generated catalog file that this class and its groups of options declare; the name after the colon is no option. */
    private static Map<String, String> own(Class<?> declaring, String part, String label) throws IOException {
        Set<String> declared = Arrays.stream(declaring.getDeclaredFields())
                .flatMap(field -> field.getType().isAnnotationPresent(UriParams.class)
                        ? Arrays.stream(field.getType().getDeclaredFields())
                        : Stream.of(field))
                .map(field -> field.getName())
                .collect(Collectors.toSet());
        Map<String, String> own = new TreeMap<>();
        for (Map.Entry<String, JsonNode> option : catalog().get(part).properties()) {
            JsonNode about = option.getValue();
            if (declared.contains(option.getKey())
                    && !about.path("kind").asText().equals("path")
                    && about.path("label").asText().startsWith(label)) {
                own.put(option.getKey(), about.path("defaultValue").asText());
            }
        }
        return own;
    }

    private static JsonNode catalog() throws IOException {
        return new ObjectMapper()
                .readTree(OutboxComponent.class.getResource("/META-INF/dev/caravan/camel/outbox/outbox.json"));
    }
}
