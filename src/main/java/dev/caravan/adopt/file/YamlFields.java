package dev.caravan.adopt.file;

import dev.caravan.base.text.NearestName;
import dev.caravan.base.text.TextFile;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** The fields of a mapping in a YAML file. Problems are collected with their lines. */
public final class YamlFields {
    private static final String ENDING = "\\.ya?ml$";

    private final Path file;
    private final int line;
    private final List<FileProblem> problems;
    private final Map<String, Node> values = new LinkedHashMap<>();

    /**
     * Adds a problem if the node is not a mapping, and for each unknown field.
     *
     * @param known the names that are allowed; empty for any
     */
    public YamlFields(Path file, Node node, Set<String> known, List<FileProblem> problems) {
        this.file = file;
        this.line = line(node);
        this.problems = problems;
        if (!(node instanceof MappingNode mapping)) {
            problem(
                    line,
                    known.isEmpty()
                            ? "must be fields, each with a name and a value"
                            : "must be fields such as "
                                    + String.join(", ", known.stream().sorted().toList()));
            return;
        }
        for (NodeTuple field : mapping.getValue()) {
            String name = field.getKeyNode() instanceof ScalarNode key ? key.getValue() : "";
            if (!known.isEmpty() && !known.contains(name)) {
                problem(
                        line(field.getKeyNode()),
                        "unknown field " + name
                                + NearestName.suggestion(
                                        name,
                                        known,
                                        "; known are "
                                                + String.join(
                                                        ", ",
                                                        known.stream().sorted().toList())));
            }
            if (values.put(name, field.getValueNode()) != null) { // YAML would ignore the first
                problem(line(field.getKeyNode()), "the field " + name + " is given twice");
            }
        }
    }

    /** The files that end in {@code .yaml} or {@code .yml}, in order of name; none if the folder is missing. */
    public static List<Path> files(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> !name(file).equals(file.getFileName().toString()))
                    .sorted()
                    .toList();
        }
    }

    /** The name of what a file defines: its own without the ending. */
    public static String name(Path file) {
        return file.getFileName().toString().replaceFirst(ENDING, "");
    }

    /** Reads a file; empty if it has no content. Adds a problem if it has none, or is not YAML. */
    public static Optional<Node> content(Path file, List<FileProblem> problems) {
        String problem = "is empty";
        int line = 1;
        try {
            Optional<Node> content = new Compose(LoadSettings.builder().build()).composeString(TextFile.read(file));
            if (content.isPresent()) {
                return content;
            }
        } catch (MarkedYamlEngineException e) {
            problem = "is not YAML: " + e.getProblem();
            line = e.getProblemMark().map(mark -> mark.getLine() + 1).orElse(1);
        } catch (YamlEngineException e) {
            problem = "is not YAML: " + e.getMessage();
        } catch (CharacterCodingException e) {
            problem = "cannot be read: it is not text in UTF-8. Store it in this encoding";
        } catch (IOException e) {
            problem = "cannot be read: " + e.getClass().getSimpleName() + " " + e.getMessage();
        }
        problems.add(new FileProblem(file, line, problem));
        return Optional.empty();
    }

    /** The line at which a node begins, from 1. */
    public static int line(Node node) {
        return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
    }

    /** The line at which the mapping begins, from 1. */
    public int line() {
        return line;
    }

    /** The names of the fields in the file. */
    public Set<String> names() {
        return values.keySet();
    }

    /** The value of a field; null if it is missing. */
    public Node node(String name) {
        return values.get(name);
    }

    /** Adds a problem at a line of the file. */
    public void problem(int at, String text) {
        problems.add(new FileProblem(file, at, text));
    }

    /** The fields of a field; empty if it is missing. */
    public Optional<YamlFields> section(String name, Set<String> known) {
        return Optional.ofNullable(values.get(name)).map(node -> new YamlFields(file, node, known, problems));
    }

    /** The text of a field; empty if it is missing. Adds a problem if it is not a text, or blank. */
    public Optional<Located> text(String name) {
        Node node = values.get(name);
        if (node == null) {
            return Optional.empty();
        }
        if (node instanceof ScalarNode scalar && !scalar.getValue().isBlank()) {
            return Optional.of(new Located(scalar.getValue().strip(), line(node)));
        }
        problem(line(node), name + " must be text");
        return Optional.empty();
    }

    /** The text of a field. If it is missing, reports a problem and returns an empty text. */
    public Located required(String name) {
        if (!values.containsKey(name)) {
            problem(line, name + " is missing");
        }
        return text(name).orElse(new Located("", line));
    }

    /** The value of a field that is one text or a list of texts. */
    public List<Located> texts(String name) {
        if (!(values.get(name) instanceof SequenceNode list)) {
            return text(name).stream().toList();
        }
        List<Located> texts = new ArrayList<>();
        for (Node each : list.getValue()) {
            if (each instanceof ScalarNode scalar) {
                texts.add(new Located(scalar.getValue().strip(), line(each)));
            } else {
                problem(line(each), name + " must be a list of text values");
            }
        }
        return texts;
    }

    /** The value of a field that is true or false; false if it is missing. */
    public boolean flag(String name) {
        return choice(name, "false", "true").equals("true");
    }

    /** The value of a field, which must be one of some values; the first is the default. */
    public String choice(String name, String... allowed) {
        Optional<Located> given = text(name);
        if (given.isEmpty() || List.of(allowed).contains(given.get().text())) {
            return given.map(Located::text).orElse(allowed[0]);
        }
        problem(
                given.get().line(),
                name + " must be " + String.join(" or ", allowed) + ", got "
                        + given.get().text());
        return allowed[0];
    }

    /** The mappings in a field that is a list. */
    public List<YamlFields> each(String name, Set<String> known) {
        if (values.get(name) instanceof SequenceNode list && !list.getValue().isEmpty()) {
            return list.getValue().stream()
                    .map(each -> new YamlFields(file, each, known, problems))
                    .toList();
        }
        problem(
                values.containsKey(name) ? line(values.get(name)) : line,
                name + " must be a list with at least one entry");
        return List.of();
    }
}
