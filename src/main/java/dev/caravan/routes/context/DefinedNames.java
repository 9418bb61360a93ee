package dev.caravan.routes.context;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * What a route file defines by names that Camel keeps for the routes of all files. Found in the text and not by Camel, which binds beans
 * while it parses a file.
 *
 * @param file its name
 */
public record DefinedNames(String file, List<Name> names) {
    /**
     * One definition.
     *
     * @param name empty for what a context has once
     * @param type the class of a bean; empty if it is not known
     */
    public record Name(Kind kind, String name, String type, int line) {}

    /** What has the name. */
    public enum Kind {
        BEAN("bean"),
        DATA_FORMAT("data format"),
        ROUTE("route"),
        ROUTE_CONFIGURATION("routeConfiguration"),
        ROUTE_TEMPLATE("routeTemplate"),
        TEMPLATED_ROUTE("templatedRoute"),
        REST_CONFIGURATION("restConfiguration");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** Whether Camel takes one of the two if both have the same name. Two routes with one id are checked elsewhere. */
        boolean excludes(Kind other) {
            return this == other
                    ? this != ROUTE
                    : Set.of(this, other).equals(Set.of(BEAN, DATA_FORMAT))
                            || Set.of(this, other).equals(Set.of(ROUTE, TEMPLATED_ROUTE));
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** Those elements of YAML and XML that have the attribute with their name. */
    private static final Map<String, Kind> KINDS = Map.of(
            "route", Kind.ROUTE,
            "routeConfiguration", Kind.ROUTE_CONFIGURATION,
            "routeTemplate", Kind.ROUTE_TEMPLATE,
            "templatedRoute", Kind.TEMPLATED_ROUTE,
            "restConfiguration", Kind.REST_CONFIGURATION);

    private static final Map<Kind, Pattern> JAVA = Map.of(
            Kind.BEAN,
            Pattern.compile("(?:\\bbindToRegistry\\s*\\(|[rR]egistry\\s*(?:\\(\\s*\\))?\\s*\\.\\s*bind\\s*\\("
                    + "|@BindToRegistry\\s*\\(\\s*(?:value\\s*=)?)\\s*\"([^\"]+)\""),
            Kind.ROUTE_TEMPLATE,
            Pattern.compile("\\brouteTemplate\\s*\\(\\s*\"([^\"]+)\""),
            Kind.REST_CONFIGURATION,
            Pattern.compile("\\brestConfiguration\\s*\\(()"));

    private static final Pattern COMMENT_OR_TEXT =
            Pattern.compile("\"(?:\\\\.|[^\"\\\\\\n])*\"|//[^\\n]*|/\\*.*?\\*/", Pattern.DOTALL);

    /**
     * Finds the definitions of a route file, in their order. Finds no names that a Java file computes, and nothing in a file that cannot be
     * parsed.
     */
    public static DefinedNames in(String file, String text) {
        if (file.endsWith(".java")) {
            return new DefinedNames(file, ofJava(text));
        }
        return new DefinedNames(file, file.endsWith(".xml") ? ofXml(text) : ofYaml(text));
    }

    private static List<Name> ofYaml(String text) {
        List<Name> found = new ArrayList<>();
        try {
            new Compose(LoadSettings.builder().build())
                    .composeString(text)
                    .ifPresent(root -> items(root).flatMap(DefinedNames::fields).forEach(item -> ofYaml(item, found)));
        } catch (YamlEngineException e) {
            return List.of(); // Camel reports it
        }
        return found;
    }

    private static void ofYaml(NodeTuple item, List<Name> found) {
        String key = text(item.getKeyNode());
        Node value = item.getValueNode();
        if (key.equals("beans")) {
            items(value)
                    .forEach(bean ->
                            found.add(new Name(Kind.BEAN, field(bean, "name"), field(bean, "type"), line(bean))));
        } else if (key.equals("dataFormats")) {
            items(value)
                    .flatMap(DefinedNames::fields)
                    .forEach(format -> found.add(new Name(
                            Kind.DATA_FORMAT, field(format.getValueNode(), "id"), "", line(format.getKeyNode()))));
        } else if (KINDS.containsKey(key)) {
            Kind kind = KINDS.get(key);
            found.add(new Name(kind, field(value, attribute(kind)), "", line(item.getKeyNode())));
        }
    }

    private static String attribute(Kind kind) {
        return kind == Kind.TEMPLATED_ROUTE ? "routeId" : "id";
    }

    private static Stream<Node> items(Node node) {
        return node instanceof SequenceNode list ? list.getValue().stream() : Stream.of();
    }

    private static Stream<NodeTuple> fields(Node node) {
        return node instanceof MappingNode fields ? fields.getValue().stream() : Stream.of();
    }

    private static String field(Node node, String name) {
        return fields(node)
                .filter(field -> text(field.getKeyNode()).equals(name))
                .map(field -> text(field.getValueNode()))
                .findFirst()
                .orElse("");
    }

    private static String text(Node node) {
        return node instanceof ScalarNode scalar ? scalar.getValue() : "";
    }

    private static int line(Node node) {
        return node.getStartMark().map(Mark::getLine).orElse(-1) + 1;
    }

    private static List<Name> ofXml(String text) {
        List<Name> found = new ArrayList<>();
        XMLInputFactory factory = XMLInputFactory.newInstance();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        try {
            XMLStreamReader xml = factory.createXMLStreamReader(new StringReader(text));
            List<String> path = new ArrayList<>();
            while (xml.hasNext()) {
                int event = xml.next();
                if (event == XMLStreamConstants.START_ELEMENT) {
                    ofXml(xml, path).ifPresent(found::add);
                    path.add(xml.getLocalName());
                } else if (event == XMLStreamConstants.END_ELEMENT) {
                    path.remove(path.size() - 1);
                }
            }
        } catch (XMLStreamException e) {
            return List.of(); // Camel reports it
        }
        return found;
    }

    /** @param path the elements that contain this one */
    private static Optional<Name> ofXml(XMLStreamReader xml, List<String> path) {
        String element = xml.getLocalName();
        int line = xml.getLocation().getLineNumber();
        if (element.equals("bean") && path.size() == 1) { // deeper ones are steps, or beans of a template
            return Optional.of(new Name(Kind.BEAN, attribute(xml, "name"), attribute(xml, "type"), line));
        }
        if (path.size() == 2 && path.get(1).equals("dataFormats")) {
            return Optional.of(new Name(Kind.DATA_FORMAT, attribute(xml, "id"), "", line));
        }
        return Optional.ofNullable(KINDS.get(element))
                .filter(kind -> path.size() < 2 && !(path.contains("routeTemplate")))
                .map(kind -> new Name(kind, attribute(xml, attribute(kind)), "", line));
    }

    private static String attribute(XMLStreamReader xml, String name) {
        String value = xml.getAttributeValue(null, name);
        return value == null ? "" : value;
    }

    private static List<Name> ofJava(String text) {
        String code = COMMENT_OR_TEXT
                .matcher(text)
                .replaceAll(part -> part.group().startsWith("/")
                        ? "\n".repeat((int) part.group().lines().count() - 1)
                        : Matcher.quoteReplacement(part.group()));
        List<Name> found = new ArrayList<>();
        JAVA.forEach((kind, pattern) -> pattern.matcher(code)
                .results()
                .map(name -> new Name(kind, name.group(1), "", line(code, name.start())))
                .forEach(found::add));
        return found;
    }

    private static int line(String text, int position) {
        return 1
                + (int) text.substring(0, position)
                        .chars()
                        .filter(c -> c == '\n')
                        .count();
    }

    /** Where a name is defined, as {@code orders.camel.yaml:11}. */
    String place(Name defined) {
        return file + ":" + defined.line();
    }
}
