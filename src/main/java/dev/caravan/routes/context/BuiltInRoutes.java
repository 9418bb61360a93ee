package dev.caravan.routes.context;

import dev.caravan.base.text.TextFile;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The route files that every relay has: they classify failures and report dead letters. A file of the same name in the routes folder
 * replaces one. They are not copied into the folder, so that no promise depends on a copy.
 */
public final class BuiltInRoutes {
    /** The file with the route that logs each dead letter. */
    public static final String DEAD_LETTER = "dead-letter.camel.yaml";

    /** The file that decides what a failure means. */
    public static final String ERROR_HANDLING = "error-handling.camel.yaml";

    /** The names of these files. */
    public static final List<String> NAMES = List.of(DEAD_LETTER, ERROR_HANDLING);

    /**
     * The order in which files are loaded: these last. Of two clauses for the same error, Camel takes the one that was loaded first, so
     * clauses in other files take precedence.
     */
    public static final Comparator<String> LAST =
            Comparator.comparing((String name) -> NAMES.contains(name)).thenComparing(Comparator.naturalOrder());

    private static final String FOLDER = "classpath:built-in/";

    /** A route from direct:dead-letter, in YAML, XML or Java. Camel allows only one. */
    private static final Pattern READS_DEAD_LETTERS =
            Pattern.compile("\\bfrom\\b\\W+(?:uri\\W+)?direct:(?://)?dead-letter(?![\\w-])");

    private BuiltInRoutes() {}

    /** Those that none of these files replaces: their texts by name. @param files the texts of the routes folder by name */
    public static Map<String, String> besides(Map<String, String> files) {
        boolean readsDeadLetters = files.values().stream()
                .anyMatch(text -> READS_DEAD_LETTERS.matcher(text).find());
        return NAMES.stream()
                .filter(name -> !files.containsKey(name) && !(readsDeadLetters && name.equals(DEAD_LETTER)))
                .collect(Collectors.toMap(name -> name, BuiltInRoutes::text));
    }

    /** All route files of a relay: those of its routes folder, and the built-in ones that they do not replace. */
    public static Map<String, String> with(Map<String, String> files) {
        Map<String, String> all = new TreeMap<>(files);
        all.putAll(besides(files));
        return all;
    }

    /** Where Camel finds a built-in file. */
    public static String location(String name) {
        return FOLDER + name;
    }

    /** The place of a route file with this text, as Camel names it. */
    public static String location(Path folder, String name, String text) {
        return NAMES.contains(name) && text(name).equals(text) ? location(name) : "file:" + folder.resolve(name);
    }

    /** The text of a built-in file. */
    public static String text(String name) {
        return TextFile.resource("/built-in/" + name).orElseThrow();
    }
}
