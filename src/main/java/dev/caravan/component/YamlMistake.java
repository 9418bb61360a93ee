package dev.caravan.component;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.text.NearestName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.dsl.yaml.YamlRoutesBuilderLoader;

/** Explains what to write instead of a step or a field that Camel does not have. */
final class YamlMistake {
    /** The kind of mistake, the name, the place, and then lines of the file, which are removed because they may contain a secret. */
    private static final Pattern MISTAKE = Pattern.compile(
            "(Unknown node id|Unsupported field): ([^\\s,]+)((?: in \\S+)?, line \\d+, column \\d+)?.*",
            Pattern.DOTALL);

    private static final String SERVICES = "/META-INF/services/org/apache/camel/";

    private YamlMistake() {}

    /** The message of the parser with the place that it names; any other message is returned unchanged. */
    static String explained(String message) {
        Matcher mistake = MISTAKE.matcher(message);
        if (!mistake.matches()) {
            return message;
        }
        String name = mistake.group(2);
        String place = mistake.group(3) == null ? "" : mistake.group(3);
        return mistake.group(1).equals("Unsupported field")
                ? "unsupported field " + name + place + insteadOfField(name)
                : "unknown step " + name + place + insteadOfStep(name);
    }

    /** Advice for a language that is not a field of expressions, as Camel's own languages are; otherwise empty. */
    private static String insteadOfField(String name) {
        boolean isOther = YamlMistake.class.getResource(SERVICES + "language/" + name) != null
                && !names(schema().at("/definitions/org.apache.camel.model.language.ExpressionDefinition"))
                        .toList()
                        .contains(name);
        return isOther ? ". Write the language as language: {language: " + name + ", expression: …}" : "";
    }

    private static String insteadOfStep(String name) {
        if (isComponent(name)) {
            return ", a destination is written as to: {uri: \"" + name + ":…\"}";
        }
        return NearestName.to(name, steps())
                .map(near -> ", did you mean " + near + "?")
                .orElse(". Common steps are to, setBody, setHeader, filter, choice, split and log: docs/routes.md");
    }

    private static boolean isComponent(String name) {
        return YamlMistake.class.getResource(SERVICES + "component/" + name) != null
                || CatalogOfComponents.hint("component", name).isPresent();
    }

    /** The names of all steps and top-level elements, such as {@code route}. */
    private static List<String> steps() {
        JsonNode file = schema();
        return Stream.concat(names(file.at("/definitions/org.apache.camel.model.ProcessorDefinition")), names(file))
                .toList();
    }

    private static Stream<String> names(JsonNode definition) {
        return definition.get("properties").properties().stream().map(Map.Entry::getKey);
    }

    private static JsonNode schema() {
        try (var stream = YamlRoutesBuilderLoader.class.getResourceAsStream("/schema/camelYamlDsl.json")) {
            return new ObjectMapper().readTree(stream).get("items");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
