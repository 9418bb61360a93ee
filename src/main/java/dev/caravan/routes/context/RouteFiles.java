package dev.caravan.routes.context;

import dev.caravan.base.text.TextFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads the files of the routes folder. */
public final class RouteFiles {
    /** The endings of route files, as text for messages. */
    public static final String KINDS = "*.camel.yaml, *.camel.xml and *.java";

    private static final List<String> ENDINGS = List.of(".camel.yaml", ".camel.xml", ".java");
    private static final List<String> SIMILAR_ENDINGS = List.of(".camel.yml", ".yaml", ".yml", ".xml");

    private static final List<String> TEMPLATE_ENDINGS = List.of(".html", ".txt", ".json", ".template", ".mustache");

    /** The name of a template with a file for each message type. */
    private static final Pattern OF_TYPES = Pattern.compile("file:([^\\s\"'$]*)\\$\\{header\\.type}([^\\s\"',)}]*)");

    private RouteFiles() {}

    /**
     * The text of each route file by its name. Follows symbolic links: on Kubernetes the folder contains links to the files of the
     * current version of a ConfigMap.
     */
    public static Map<String, String> in(Path folder) throws IOException {
        return texts(folder, RouteFiles::isRoute);
    }

    /** The text of each settings file of the routes by its name. */
    public static Map<String, String> settings(Path folder) throws IOException {
        return texts(folder, name -> name.endsWith(".properties"));
    }

    /** The pattern with which Camel Main loads the same files, and the built-in ones that they do not replace. */
    public static String pattern(Path folder) throws IOException {
        return Stream.concat(
                        ENDINGS.stream().map(ending -> "file:" + folder + "/*" + ending),
                        BuiltInRoutes.besides(in(folder)).keySet().stream().map(BuiltInRoutes::location))
                .collect(Collectors.joining(","));
    }

    public static boolean isRoute(String name) {
        return !name.startsWith(".") && ENDINGS.stream().anyMatch(name::endsWith);
    }

    /**
     * The files that are neither route files nor settings files, and that none of these names: what to do about each, by file name. Hidden files,
     * {@code *~}, {@code *.off}, {@code *.md} and {@code README*} are ignored.
     */
    public static Map<String, String> unrecognized(Path folder) throws IOException {
        Set<String> others = new TreeSet<>();
        try (Stream<Path> all = Files.list(folder)) {
            for (Path file : (Iterable<Path>) all::iterator) {
                String name = file.getFileName().toString();
                if (!isIgnored(name) && !Files.isDirectory(file)) {
                    others.add(name);
                }
            }
        }
        if (others.isEmpty()) { // the usual case: read no file
            return Map.of();
        }
        String readable = String.join(
                "\n",
                texts(folder, name -> isRoute(name) || name.endsWith(".properties"))
                        .values());
        Predicate<String> isOfType = OF_TYPES.matcher(readable)
                .results()
                .map(found -> Pattern.compile(Pattern.quote(found.group(1)) + ".+" + Pattern.quote(found.group(2))))
                .map(Pattern::asMatchPredicate)
                .reduce(name -> false, Predicate::or);
        Map<String, String> problems = new TreeMap<>();
        others.stream()
                .filter(name -> !readable.contains(named(name)) && !isOfType.test(name))
                .forEach(name -> problems.put(name, problem(name)));
        return problems;
    }

    /** The text by which a route names a file. A template may be named without its ending. */
    private static String named(String name) {
        return TEMPLATE_ENDINGS.stream()
                .filter(name::endsWith)
                .findFirst()
                .map(ending -> name.substring(0, name.length() - ending.length()))
                .orElse(name);
    }

    private static boolean isIgnored(String name) {
        return isRoute(name)
                || name.endsWith(".properties")
                || name.startsWith(".")
                || name.startsWith("README")
                || name.endsWith("~")
                || name.endsWith(".off")
                || name.endsWith(".md");
    }

    /** Whether a name differs from that of a route file only in its ending. */
    public static boolean resemblesRoute(String name) {
        return !isRoute(name) && SIMILAR_ENDINGS.stream().anyMatch(name::endsWith);
    }

    private static String problem(String name) {
        for (String ending : SIMILAR_ENDINGS) {
            if (name.endsWith(ending)) {
                String right = ending.endsWith("xml") ? ".camel.xml" : ".camel.yaml";
                return "is not loaded, because route files end in " + right + ". Rename it to "
                        + name.substring(0, name.length() - ending.length()) + right;
            }
        }
        return "is not a route file (" + KINDS
                + "), and no route or setting names it, so it is ignored. Remove it, or rename it to " + name
                + ".off to keep it";
    }

    private static Map<String, String> texts(Path folder, Predicate<String> selected) throws IOException {
        Map<String, String> texts = new TreeMap<>();
        try (Stream<Path> all = Files.list(folder)) {
            for (Path file : (Iterable<Path>) all::iterator) {
                String name = file.getFileName().toString();
                if (selected.test(name) && Files.isRegularFile(file)) {
                    texts.put(name, TextFile.unmarked(new String(Files.readAllBytes(file), StandardCharsets.UTF_8)));
                }
            }
        }
        return texts;
    }
}
