package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.camel.outbox.OutboxComponent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** docs/outbox-component.md has the tables that Camel's catalog would have, from the generated metadata. */
class OutboxComponentPageTest {
    private static final Path PAGE = Path.of("docs/outbox-component.md");
    private static final Pattern TABLE = Pattern.compile("<!-- generated: (\\w+) -->\n.*?<!-- end -->", Pattern.DOTALL);

    @Test
    void the_tables_are_those_of_the_metadata() throws IOException {
        JsonNode metadata = metadata();
        String page = Files.readString(PAGE);

        String expected = TABLE.matcher(page)
                .replaceAll(table -> Matcher.quoteReplacement(
                        "<!-- generated: " + table.group(1) + " -->\n" + table(metadata, table) + "<!-- end -->"));

        Files.writeString(Path.of("target/outbox-component.md"), expected);
        assertThat(page)
                .as("the page; copy target/outbox-component.md to %s", PAGE)
                .isEqualTo(expected);
        assertThat(page)
                .contains("<version>" + metadata.at("/component/version").asText() + "</version>");
    }

    @Test
    void the_component_is_listed_for_tools_as_those_of_camel_are() throws IOException {
        Properties listed = new Properties();
        try (var file =
                OutboxComponent.class.getResourceAsStream("/META-INF/services/org/apache/camel/component.properties")) {
            listed.load(file);
        }

        assertThat(listed)
                .containsEntry("components", "cloud-event email outbox sms standard-webhook")
                .containsEntry("groupId", "dev.caravan")
                .containsEntry("artifactId", "caravan-outbox")
                .containsEntry("version", metadata().at("/component/version").asText());
        for (String name : listed.getProperty("components").split(" ")) {
            assertThat(OutboxComponent.class.getResource("/META-INF/services/org/apache/camel/component/" + name))
                    .as(name)
                    .isNotNull();
        }
    }

    private static String table(JsonNode metadata, MatchResult table) {
        return switch (table.group(1)) {
            case "component" -> rows(metadata.get("componentProperties"), option -> true);
            case "path" -> rows(metadata.get("properties"), option -> isPath(option));
            case "endpoint" -> rows(metadata.get("properties"), option -> !isPath(option));
            default -> rows(metadata.get("headers"), option -> true);
        };
    }

    private static boolean isPath(JsonNode option) {
        return option.path("kind").asText().equals("path");
    }

    private static String rows(JsonNode options, Predicate<JsonNode> wanted) {
        return "| Name | Description | Default | Type |\n|---|---|---|---|\n"
                + options.properties().stream()
                        .filter(option -> wanted.test(option.getValue()))
                        .map(option -> row(option.getKey(), option.getValue()))
                        .collect(Collectors.joining());
    }

    private static String row(String name, JsonNode option) {
        String values = option.has("enum")
                ? " Enum values: "
                        + option.get("enum").valueStream().map(JsonNode::asText).collect(Collectors.joining(", ")) + "."
                : "";
        return "| **" + name + "** (" + option.path("group").asText() + ")"
                + (option.path("required").asBoolean() ? " *Required*" : "")
                + (option.path("autowired").asBoolean() ? " *Autowired*" : "")
                + " | "
                + (option.path("description").asText() + values)
                        .replace("|", "\\|")
                        .replace("*", "\\*")
                + " | " + option.path("defaultValue").asText().replace("*", "\\*")
                + " | " + option.path("javaType").asText().replaceFirst(".*\\.", "") + " |\n";
    }

    private static JsonNode metadata() throws IOException {
        return new ObjectMapper()
                .readTree(OutboxComponent.class.getResource("/META-INF/dev/caravan/camel/outbox/outbox.json"));
    }
}
