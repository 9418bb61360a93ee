package dev.caravan.docs;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A page of the documentation: its blocks of code, links, headings and tables. */
public record DocsPage(Path path, String text) {
    private static final Pattern FENCE = Pattern.compile("(?ms)^```(\\w*)\\n(.*?)^```$");
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");
    private static final Pattern LINK = Pattern.compile("\\[[^\\]]+\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");

    private static final Pattern TEMPLATE_NAME = Pattern.compile("\\{\\{! (\\S+\\.mustache) }}");

    /** A block of code. */
    public record Block(String language, String content) {}

    public static DocsPage read(String path) {
        try {
            return new DocsPage(Path.of(path), Files.readString(Path.of(path)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** README, CHANGELOG, CONTRIBUTING and everything under docs and examples. */
    static List<DocsPage> all() {
        return Stream.of("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs", "examples")
                .flatMap(place -> below(place, ".md").stream())
                .sorted(Comparator.comparing(DocsPage::toString))
                .toList();
    }

    /** The text files below a folder whose names end so. */
    static List<DocsPage> below(String folder, String ending) {
        try (Stream<Path> all = Files.walk(Path.of(folder))) {
            return all.map(Path::toString)
                    .filter(path -> path.endsWith(ending))
                    .map(DocsPage::read)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The sources of classes below a folder, by the simple name of the class. */
    static Map<String, String> sources(String folder) {
        return below(folder, ".java").stream()
                .collect(Collectors.toMap(
                        file -> file.path().getFileName().toString().replace(".java", ""),
                        DocsPage::text,
                        (one, other) -> one + other));
    }

    /** Splits a command as a shell does, as far as the pages need it. */
    public static List<String> words(String command) {
        return WORD.matcher(command)
                .results()
                .map(word -> Stream.of(word.group(1), word.group(2), word.group(3))
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElseThrow())
                .toList();
    }

    /** The contents of the blocks of code in a language. */
    public List<String> blocks(String language) {
        return FENCE.matcher(text)
                .results()
                .filter(block -> block.group(1).equals(language))
                .map(block -> block.group(2))
                .toList();
    }

    /** All blocks of code below a heading, in order, up to the next heading of the same or a higher level. */
    public List<Block> blocksBelow(String heading) {
        return FENCE.matcher(section(heading))
                .results()
                .map(block -> new Block(block.group(1), block.group(2)))
                .toList();
    }

    /** The lines that the page adds to {@code application.properties}. */
    Map<String, String> properties() {
        Map<String, String> all = new TreeMap<>();
        for (String block : blocks("properties")) {
            var properties = new Properties();
            try {
                properties.load(new StringReader(block));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            properties.stringPropertyNames().forEach(name -> all.put(name, properties.getProperty(name)));
        }
        return all;
    }

    /** Writes the templates of the page, whose names are in a comment in their first line. Returns whether there are any. */
    boolean writeTemplates(Path folder) throws IOException {
        boolean found = false;
        for (String block : blocks("mustache")) {
            Matcher name = TEMPLATE_NAME.matcher(block);
            if (name.lookingAt()) {
                Files.writeString(folder.resolve(name.group(1)), block);
                found = true;
            }
        }
        return found;
    }

    List<String> links() {
        return find(LINK);
    }

    /** The anchors of the headings, as GitHub makes them. */
    List<String> anchors() {
        return find(HEADING).stream()
                .map(heading ->
                        heading.toLowerCase().replaceAll("[^a-z0-9 _-]", "").replace(' ', '-'))
                .toList();
    }

    private List<String> find(Pattern pattern) {
        return pattern.matcher(FENCE.matcher(text).replaceAll(""))
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
    }

    /** The cells of the rows of all tables below a heading, up to the next heading of the same or a higher level. */
    public List<List<String>> rows(String heading) {
        List<List<String>> rows = new ArrayList<>();
        for (String line : section(heading).split("\\n")) {
            if (line.startsWith("| `")) {
                rows.add(Stream.of(line.substring(1, line.length() - 1).split("(?<!\\\\)\\|", -1))
                        .map(cell -> cell.strip().replaceAll("^`(.*?)`$", "$1"))
                        .toList());
            }
        }
        return rows;
    }

    private String section(String heading) {
        int start = text.indexOf("\n" + heading + "\n");
        if (start < 0) {
            throw new IllegalArgumentException(path + " has no heading " + heading);
        }
        int body = start + heading.length() + 2;
        String level = heading.replaceAll(" .*", "");
        var next = Pattern.compile("(?m)^(```|#{1," + level.length() + "} )").matcher(text);
        boolean isInBlock = false; // where a line that begins with # is a comment
        for (int at = body; next.find(at); at = next.end()) {
            if (next.group(1).equals("```")) {
                isInBlock = !isInBlock;
            } else if (!isInBlock) {
                return text.substring(body, next.start());
            }
        }
        return text.substring(body);
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
