package dev.caravan.routes.component;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.base.text.NearestName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
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

    /** What the parser of YAML says, without its names for tokens and lines of the file, and what to do. */
    private static final Map<Pattern, String> SYNTAX = new LinkedHashMap<>();

    static {
        syntax(
                "expected alphabetic or numeric character|unexpected character found",
                "a value that begins with * or & must be in quotes, as in types: \"*\"");
        syntax("'\\\\t\\(TAB\\)'", "the line is indented with a tab: use spaces");
        syntax("character '(.)' that cannot start", "a value that begins with $1 must be in quotes");
        syntax("unexpected end of stream", "a quote is opened and not closed");
        syntax("mapping values are not allowed", "a value that contains a colon and a space must be in quotes");
        syntax(
                "expected ',' or",
                "a comma or a closing bracket is missing, or a value that contains a colon and a space is not in quotes");
        syntax(
                "expected <block end>|could not find expected ':'|expected <document start>",
                "the line is not indented like those around it, or a colon is missing");
        syntax("found duplicate key", "a field occurs twice");
        syntax("Node type \\w+ is invalid, expected array", "a list is expected: begin each entry with a dash");
        syntax("Node type (\\w+) is invalid, expected (\\w+)", "expected $2, got $1");
        syntax("Resource is empty", "the file is empty");
    }

    private static final String SERVICES = "/META-INF/services/org/apache/camel/";

    private YamlMistake() {}

    private static void syntax(String problem, String words) {
        SYNTAX.put(Pattern.compile(problem), words);
    }

    /** The place that a message of the parser of YAML names: the last one, except for a quote that is not closed. */
    private static final Pattern PLACE = Pattern.compile("line \\d+, column \\d+");

    private static Optional<String> syntax(String message) {
        List<String> places =
                PLACE.matcher(message).results().map(MatchResult::group).toList();
        for (var known : SYNTAX.entrySet()) {
            Matcher problem = known.getKey().matcher(message);
            if (problem.find() && (!places.isEmpty() || known.getValue().contains("empty"))) {
                String words = problem.groupCount() == 0
                        ? known.getValue()
                        : known.getKey().matcher(problem.group()).replaceAll(known.getValue());
                boolean first = words.contains("not closed") || words.contains("closing");
                return Optional.of(places.isEmpty() ? words : words + ", " + places.get(first ? 0 : places.size() - 1));
            }
        }
        return Optional.empty();
    }

    /** The message of the parser with the place that it names; any other message is returned unchanged. */
    static String explained(String message) {
        Matcher mistake = MISTAKE.matcher(message);
        if (!mistake.matches()) {
            return syntax(message).orElse(message);
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
        return NearestName.suggestion(
                name,
                steps(),
                ". Common steps are to, setBody, setHeader, filter, choice, split and log: docs/routes.md");
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
