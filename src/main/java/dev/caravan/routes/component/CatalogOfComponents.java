package dev.caravan.routes.component;

import dev.caravan.base.text.NearestName;
import dev.caravan.base.text.TextFile;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All components, data formats and languages of Camel, and the artifact of each. */
public record CatalogOfComponents(List<Entry> entries) {
    private static final Map<Pattern, String> MISSING = Map.of(
            Pattern.compile("(?i)component with name ([\\w+-]+)"), "component",
            Pattern.compile("Data format '(\\w+)' could not be created"), "dataformat",
            Pattern.compile("No language could be found for: (\\w+)"), "language");

    /**
     * @param kind component, dataformat or language
     * @param name as a route writes it
     * @param artifact {@code camel-…}
     */
    public record Entry(String kind, String name, String artifact) {
        /** The name for {@code component add}. */
        public String component() {
            return artifact.substring("camel-".length());
        }
    }

    /** Camel's message about an unknown scheme, which names the whole address and not what to do. */
    private static final Pattern UNKNOWN_SCHEME =
            Pattern.compile("No endpoint could be found for: ([\\w.+-]+):.*", Pattern.DOTALL);

    /** The components of Caravan, which are not in the catalog of Camel. */
    private static final List<String> OWN = List.of("outbox", "email", "sms", "standard-webhook", "cloud-event");

    public static CatalogOfComponents read() {
        return new CatalogOfComponents(TextFile.resource("/components/catalog.txt")
                .orElseThrow()
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split(" "))
                .map(words -> new Entry(words[0], words[1], words[2]))
                .toList());
    }

    /** What to add instead of an artifact that was not found, as a sentence with a final space; empty without a suggestion. */
    String advice(Artifact artifact) {
        String name = artifact.component();
        if (name.contains(":")) {
            return ""; // not of Camel
        }
        Set<String> components = entries.stream().map(Entry::component).collect(Collectors.toSet());
        if (components.contains(name)) {
            return "";
        }
        return entries.stream()
                .filter(entry -> entry.name().equals(name))
                .findFirst()
                .map(entry -> name + " is part of " + entry.artifact() + ": ./caravan component add "
                        + entry.component() + ". ")
                .or(() -> NearestName.to(name, components).map(near -> "Did you mean " + near + "? "))
                .orElse("");
    }

    /** Adds a hint to Camel's message about an unknown scheme, data format, language, step or field. */
    public static String explained(String message) {
        Matcher scheme = UNKNOWN_SCHEME.matcher(message);
        if (scheme.matches()) {
            return "there is no component " + scheme.group(1) + instead(scheme.group(1));
        }
        for (var missing : MISSING.entrySet()) {
            Matcher matcher = missing.getKey().matcher(message);
            if (matcher.find()) {
                return hint(missing.getValue(), matcher.group(1))
                        .map(hint -> message.replaceFirst("\\.$", "") + ": it " + hint)
                        .orElse(message);
            }
        }
        return YamlMistake.explained(message);
    }

    private static String instead(String scheme) {
        Stream<String> known = read().entries().stream()
                .filter(entry -> entry.kind().equals("component"))
                .map(Entry::name);
        return hint("component", scheme)
                .map(hint -> ": it " + hint)
                .or(() -> NearestName.to(
                                scheme, Stream.concat(known, OWN.stream()).toList())
                        .map(near -> ", did you mean " + near + "?"))
                .orElse(". Correct the name before the colon, or add the jar that has it");
    }

    /** {@code needs camel-aws2-sqs: ./caravan component add aws2-sqs}; empty for a name that Camel does not have. */
    public static Optional<String> hint(String kind, String name) {
        return read().entries().stream()
                .filter(entry -> entry.kind().equals(kind) && entry.name().equals(name))
                .findFirst()
                .map(entry -> "needs " + entry.artifact() + ": ./caravan component add " + entry.component());
    }
}
