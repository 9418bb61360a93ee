package dev.caravan.routes.check;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.camel.LineNumberAware;
import org.apache.camel.NamedNode;

/**
 * Where a problem is, as {@code orders.camel.yaml:11}.
 *
 * @param line zero if it is not known
 */
public record Place(String file, int line) {
    private static final Pattern LINE = Pattern.compile("\\bline (\\d+)\\b");
    private static final Pattern LOCATION =
            Pattern.compile("(?: in file:\\S+)?, line \\d+, column \\d+:?|^does not compile: line \\d+: ");

    /**
     * Finds the line of a step. For a step written on one line ({@code - to: {uri: …}}), Camel reports the line before; this is
     * corrected.
     *
     * @param text of the file
     * @param node a step, a source or a route
     */
    public static Place of(String file, String text, LineNumberAware node) {
        List<String> lines = text.lines().toList();
        int line = Math.max(0, node.getLineNumber());
        String name = node instanceof NamedNode named ? named.getShortName() + ":" : "";
        boolean isNext = line > 0
                && line < lines.size()
                && !lines.get(line - 1).matches(".*\\b" + Pattern.quote(name) + "\\s*(#.*)?")
                && lines.get(line).matches(".*\\b" + Pattern.quote(name) + "\\s*[\\[{].*");
        return new Place(file, isNext ? line + 1 : line);
    }

    /** As {@link #of}; if Camel does not know the line of the node, the first line that has its name. */
    static <N extends LineNumberAware & NamedNode> Place ofKey(String file, String text, N node) {
        Place place = of(file, text, node);
        List<String> lines = text.lines().toList();
        int line = 0;
        while (place.line == 0 && line < lines.size()) {
            if (lines.get(line++).matches(".*\\b" + Pattern.quote(node.getShortName()) + "\\b.*")) {
                return new Place(file, line);
            }
        }
        return place;
    }

    /** @param message a message of a parser or a compiler that names the line */
    public static Place named(String file, String message) {
        Matcher line = LINE.matcher(message);
        return new Place(file, line.find() ? Integer.parseInt(line.group(1)) : 0);
    }

    /** The message of a parser, without the place in the file. */
    static String without(String message) {
        return LOCATION.matcher(message).replaceAll("").strip();
    }

    @Override
    public String toString() {
        return line == 0 ? file : file + ":" + line;
    }
}
