package dev.caravan.routes.draft;

import dev.caravan.base.text.TextFile;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A folder for a relay, as a team keeps it in a repository: settings, a route with a test and a sample message, and a README.
 *
 * @param folder its name
 */
public record Project(String folder, Draft draft) {
    private static final String KAFKA = "camel.component.kafka.brokers = localhost:9092\n";

    /** A secret that is known to everybody, for a test that sends nothing. */
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    /** The texts of the files, by their paths in the folder. */
    public Map<String, String> files() {
        Map<String, String> files = new LinkedHashMap<>();
        files.put(".gitignore", text("gitignore"));
        files.put("README.md", text("README.md"));
        files.put("application.properties", text("application.properties"));
        files.put("pom.xml", text("pom.xml"));
        files.put("src/test/java/RoutesTest.java", text("RoutesTest.java"));
        files.put(sample(), text("sample.json"));
        if (!draft.settings().isEmpty()) {
            files.put("routes/" + draft.name() + ".properties", draft.settings());
        }
        files.put("routes/" + draft.name() + ".camel.yaml", draft.route());
        return files;
    }

    private String text(String template) {
        return TextFile.resource("/init/" + template)
                .orElseThrow()
                .replace("@folder@", folder)
                .replace("@name@", draft.name())
                .replace("@sample@", sample())
                .replace("@type@", type())
                .replace("@aggregate@", type().replaceFirst("\\..*", ""))
                .replace("@kafka@", draft.destination() == Destination.KAFKA ? KAFKA : "")
                .replace("@properties@", properties());
    }

    private String sample() {
        return "routes/samples/" + type() + ".json";
    }

    /** The first type that the route reads. */
    private String type() {
        String first = draft.answers().get(Question.TYPE).replaceFirst(",.*", "");
        return first.equals("*") ? "order.created" : first.replace("*", "created");
    }

    /** Values for the settings that have no default. */
    private String properties() {
        return draft.withoutDefault().keySet().stream()
                .map(setting -> "\n            .property(\"" + setting + "\", \"" + value(setting) + "\")")
                .collect(Collectors.joining("", "", draft.withoutDefault().isEmpty() ? "" : "\n            "));
    }

    private static String value(String setting) {
        return setting.endsWith("secrets") ? SECRET : "https://receiver.example.com/messages";
    }
}
