package dev.caravan.routes.tryout;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.caravan.base.message.BadLine;
import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.base.message.MessageDocument;
import dev.caravan.base.message.TypePatterns;
import dev.caravan.routes.tryout.DryRun.TriedRoute;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sample messages for a route, one for each type that it reads: from the file {@code samples/TYPE.json} next to the route, or made up
 * from the fields of the payload that the route and its templates name.
 */
public final class SampleMessages {
    private static final Pattern JSON_PATH = Pattern.compile("\\$((?:\\.[A-Za-z_][\\w-]*)+)");
    private static final Pattern TEMPLATE_FIELD =
            Pattern.compile("\\$\\{([A-Za-z_]\\w*(?:\\.[A-Za-z_]\\w*)*)(?::[^}]*)?}");
    private static final Pattern PAYLOAD_FIELD =
            Pattern.compile("language:\\s*payload\\s*,?\\s*expression:\\s*[\"']?([A-Za-z_]\\w*(?:\\.[A-Za-z_]\\w*)*)");
    /** A file that a route names, such as a template. */
    private static final Pattern FILE = Pattern.compile("\\bfile:((?:[^\\s\"',}$]|\\$\\{header\\.type})+)");

    private static final Pattern FIELD = Pattern.compile("[A-Za-z_]\\w*(?:\\.[A-Za-z_]\\w*)*");
    private static final Pattern MUSTACHE = Pattern.compile("\\{\\{([#^/!]?)\\s*([^{}]+?)\\s*}}");
    private static final Pattern SUM = Pattern.compile("sum\\(([^,()]+),?([^()]*)\\)");
    /** Names that Camel's simple language and the templates resolve without the payload. */
    private static final Pattern NOT_OF_THE_PAYLOAD = Pattern.compile(
            "(?:body|header|headers|in|exchange|exchangeProperty|exchangeId|variable|variables|exception|bean|random|uuid|env|sys|"
                    + "messageTimestamp|routeId|camelContext|null|threadName|hostName|jsonpath|empty|this)(?:\\..*)?");

    private final Instant now;

    public SampleMessages(Instant now) {
        this.now = now;
    }

    /** @param generated whether the content was guessed from the route */
    public record Sample(Message message, boolean generated) {}

    public List<Sample> of(TriedRoute route) throws IOException, BadLine {
        List<Sample> samples = new ArrayList<>();
        for (String pattern : route.types().split(",")) {
            samples.addAll(ofType(route, pattern.strip(), samples.size() + 1));
        }
        return samples;
    }

    private List<Sample> ofType(TriedRoute route, String pattern, int id) throws IOException, BadLine {
        List<Sample> samples = new ArrayList<>();
        for (Path file : files(route, pattern)) {
            MessageDocument.read(Files.readAllBytes(file), now)
                    .forEach(message -> samples.add(new Sample(message, false)));
        }
        String type = pattern.equals("*") ? "sample.created" : pattern.replace("*", "created");
        return samples.isEmpty() ? List.of(new Sample(generate(route, type, "1", id), true)) : samples;
    }

    private static List<Path> files(TriedRoute route, String pattern) throws IOException {
        if (route.source().isEmpty()) {
            return List.of();
        }
        Path folder = Path.of(route.source()).resolveSibling("samples");
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (var all = Files.list(folder)) {
            return all.filter(file -> file.getFileName().toString().endsWith(".json"))
                    .filter(file -> TypePatterns.match(
                            pattern, file.getFileName().toString().replaceFirst("\\.json$", "")))
                    .sorted()
                    .toList();
        }
    }

    /** Creates a message of a type. Its payload has the fields that the route and its templates name. */
    public Message generate(TriedRoute route, String type, String aggregateId, long id) throws IOException {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        if (!route.source().isEmpty()) {
            Path source = Path.of(route.source());
            String text = Files.readString(source).replaceAll("(?m)^\\s*#.*$", "");
            addNames(payload, text);
            Matcher files = FILE.matcher(text);
            while (files.find()) {
                addNamesOfFile(payload, source.resolveSibling(files.group(1).replace("${header.type}", type)));
            }
        }
        String aggregateType = type.replaceFirst("\\..*", "");
        Key key = new Key(aggregateType, aggregateId);
        return new Message(id, UUID.randomUUID(), key, type, null, payload.toString(), now);
    }

    private static void addNamesOfFile(ObjectNode payload, Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            return;
        } else if (file.toString().endsWith(".mustache")) {
            addTags(payload, Files.readString(file));
        } else {
            addNames(payload, Files.readString(file));
        }
    }

    /** Adds the names of a template in Mustache. A section is a list if its name is a plural, and otherwise an object. */
    private static void addTags(ObjectNode payload, String template) {
        Deque<ObjectNode> open = new ArrayDeque<>(List.of(payload));
        Matcher tag = MUSTACHE.matcher(template);
        while (tag.find()) {
            String name = tag.group(2);
            switch (tag.group(1)) {
                case "#" -> open.push(section(open.peek(), name));
                case "^" -> open.push(open.peek());
                case "" -> addValue(open.peek(), name);
                case "/" -> {
                    if (open.size() > 1) {
                        open.pop();
                    }
                }
                default -> {} // a comment
            }
        }
        addSums(payload, template);
    }

    private static ObjectNode section(ObjectNode object, String name) {
        if (!FIELD.matcher(name).matches() || !isOfThePayload(name, name)) {
            addValue(object, name); // a condition
            return object;
        }
        ObjectNode parent = object;
        String last = name.substring(name.lastIndexOf('.') + 1);
        for (String step : name.split("\\.")) {
            parent = step.equals(last) ? parent : child(parent, step);
        }
        if (!last.endsWith("s")) {
            return child(parent, last);
        }
        ArrayNode elements = parent.get(last) instanceof ArrayNode array ? array : parent.putArray(last);
        return elements.get(0) instanceof ObjectNode first ? first : elements.addObject();
    }

    private static ObjectNode child(ObjectNode object, String name) {
        return object.get(name) instanceof ObjectNode child ? child : object.putObject(name);
    }

    /** Adds the fields of a name, of a condition on one, or of a product of several. */
    private static void addValue(ObjectNode object, String name) {
        String[] fields = name.replaceFirst("\\s*[:=<>!].*", "").split("\\s*\\*\\s*");
        for (String field : fields) {
            if (FIELD.matcher(field).matches() && isOfThePayload(field, field)) {
                put(object, Arrays.asList(field.split("\\.")));
            }
            if (fields.length > 1) {
                makeNumber(object, field);
            }
        }
    }

    private static void makeNumber(ObjectNode object, String field) {
        if (object.get(field) instanceof TextNode) {
            object.put(field, 2);
        }
    }

    private static void addSums(ObjectNode payload, String text) {
        Matcher sum = SUM.matcher(text);
        while (sum.find()) {
            ObjectNode element = section(payload, sum.group(1).strip());
            addValue(element, sum.group(2).strip());
            makeNumber(element, sum.group(2).strip());
        }
    }

    private static void addNames(ObjectNode payload, String text) {
        addSums(payload, text);
        for (Pattern pattern : List.of(JSON_PATH, TEMPLATE_FIELD, PAYLOAD_FIELD)) {
            Matcher found = pattern.matcher(text);
            while (found.find()) {
                String path = found.group(1).replaceFirst("^\\.", "");
                if (pattern == JSON_PATH || isOfThePayload(path, found.group())) {
                    put(payload, Arrays.asList(path.split("\\.")));
                }
            }
        }
    }

    private static boolean isOfThePayload(String path, String expression) {
        return !NOT_OF_THE_PAYLOAD.matcher(path).matches() && !expression.startsWith("${date:");
    }

    private static void put(ObjectNode object, List<String> path) {
        String name = path.get(0);
        if (path.size() > 1) {
            put(child(object, name), path.subList(1, path.size()));
        } else if (!object.has(name)) {
            value(object, name);
        }
    }

    private static void value(ObjectNode object, String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (lower.contains("phone") || lower.contains("mobile")) {
            object.put(name, "+15005550001");
        } else if (lower.contains("mail")) {
            object.put(name, "someone@example.com");
        } else if (lower.endsWith("at") && lower.length() > 2 || lower.contains("timestamp")) {
            object.put(name, "2026-01-31T18:30:00Z");
        } else if (lower.contains("date")) {
            object.put(name, "2026-01-31");
        } else if (lower.equals("time")) {
            object.put(name, "18:30");
        } else if (lower.matches(".*(total|price|amount|sum|value|cost)")) {
            object.put(name, new BigDecimal("184.50"));
        } else if (lower.matches(".*(seats|count|quantity|number|size)|age")) {
            object.put(name, 2);
        } else if (lower.contains("currency")) {
            object.put(name, "EUR");
        } else if (lower.contains("url")) {
            object.put(name, "https://example.com/");
        } else {
            object.put(name, lower.endsWith("id") ? "1" : "sample " + name);
        }
    }
}
