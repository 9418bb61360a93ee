package dev.caravan.adopt.intake;

import dev.caravan.adopt.file.FileProblem;
import dev.caravan.adopt.file.Located;
import dev.caravan.adopt.file.YamlFields;
import dev.caravan.adopt.intake.Intake.MessageFields;
import dev.caravan.adopt.intake.Intake.Outcome;
import dev.caravan.adopt.intake.Intake.Payload;
import dev.caravan.base.settings.OptionValue;
import dev.caravan.base.settings.Settings;
import dev.caravan.engine.store.LaneId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.camel.util.TimeUtils;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** Reads the file of an intake; docs/intake.md describes its fields. */
public final class IntakeFile {
    private static final Set<String> FIELDS = Set.of(
            "intake",
            "dataSource",
            "table",
            "key",
            "pending",
            "order",
            "mark",
            "message",
            "batch",
            "delay",
            "maxPayload",
            "timeZone",
            "outcome");
    private static final Set<String> MESSAGE_FIELDS =
            Set.of("id", "aggregateType", "aggregateId", "type", "payload", "payloadBytes", "headers");
    private static final Set<String> OUTCOME_FIELDS = Set.of("subscription", "delivered", "dead");
    private static final String NAME = "[a-z][a-z0-9-]{0,49}";
    private static final Pattern SIZE = Pattern.compile("(\\d{1,12})\\s*(B|kB|KB|MB)?");
    private static final int MOST_ROWS = 10_000;
    private static final long MOST_BYTES = 64 << 20;
    /** Of {@code message.headers.topic}. */
    private static final int DEEPEST = 2;

    private static final Duration LONGEST_DELAY = Duration.ofHours(1);

    private final Path file;
    private final List<FileProblem> problems;
    private final Map<String, Integer> lines = new HashMap<>();

    private IntakeFile(Path file, List<FileProblem> problems) {
        this.file = file;
        this.problems = problems;
    }

    /** The folder of the intakes of a relay, {@code caravan.intakes}. */
    public static Path folder(Settings settings) {
        return Path.of(settings.text("caravan.intakes", "intakes"));
    }

    /** Whether an intake can have this name. */
    public static boolean isName(String text) {
        return text.matches(NAME);
    }

    /** The file that a person names by its path, or by the name of its intake. */
    public static Path named(Path folder, Path given) {
        Path file = folder.resolve(given + ".yaml");
        return !Files.exists(given) && isName(given.toString()) && Files.exists(file) ? file : given;
    }

    /** The definitions of a folder that are valid. Adds what is wrong with the others to the problems. */
    public static List<Intake> readAll(Path folder, List<FileProblem> problems) throws IOException {
        if (Files.isRegularFile(folder)) {
            problems.add(new FileProblem(
                    folder,
                    1,
                    "is a file. The setting caravan.intakes must name the folder that contains the files of intakes"));
        }
        List<Intake> intakes = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Path file : YamlFields.files(folder)) {
            if (names.add(YamlFields.name(file))) {
                read(file, problems)
                        .filter(intake -> requireOwnRows(intake, intakes, problems))
                        .ifPresent(intakes::add);
            } else {
                problems.add(
                        new FileProblem(file, 1, "another file defines the intake " + YamlFields.name(file) + " too"));
            }
        }
        return intakes;
    }

    /** Two intakes that read the same rows would both copy them. */
    private static boolean requireOwnRows(Intake intake, List<Intake> others, List<FileProblem> problems) {
        Optional<Intake> same = others.stream()
                .filter(other -> other.dataSource().equals(intake.dataSource())
                        && other.table().equalsIgnoreCase(intake.table())
                        && other.pending().equals(intake.pending()))
                .findFirst();
        same.ifPresent(other -> problems.add(intake.problem(
                "pending",
                "the intake " + other.name() + " reads the same rows of " + other.table()
                        + ", and both would copy them. Remove one file, or let their conditions exclude each other")));
        return same.isEmpty();
    }

    /** Returns the definition; empty if the file contains none. Adds what is wrong to the problems. */
    public static Optional<Intake> read(Path file, List<FileProblem> problems) {
        int before = problems.size();
        Optional<Intake> intake = new IntakeFile(file, problems).read();
        return problems.size() == before ? intake : Optional.empty();
    }

    private Optional<Intake> read() {
        return YamlFields.content(file, problems).map(node -> {
            locate("", node);
            return intake(new YamlFields(file, node, FIELDS, problems));
        });
    }

    /** Notes the lines of all fields. */
    private void locate(String within, Node node) {
        // deeper ones are wrong, and through aliases they may have no end
        boolean isField = within.chars().filter(each -> each == '.').count() <= DEEPEST;
        if (isField && node instanceof MappingNode mapping) {
            for (NodeTuple field : mapping.getValue()) {
                String name = within + (field.getKeyNode() instanceof ScalarNode key ? key.getValue() : "");
                lines.put(name, YamlFields.line(field.getKeyNode()));
                locate(name + ".", field.getValueNode());
            }
        }
    }

    private Intake intake(YamlFields fields) {
        String name = YamlFields.name(file);
        if (!isName(name)) {
            problem(
                    1,
                    "the name of the file must have 1 to 50 lower-case letters, digits and dashes, and begin with a letter: it is"
                            + " the name of the intake");
        }
        Located given = fields.required("intake");
        if (!given.text().isEmpty() && !given.text().equals(name)) {
            problem(given.line(), "intake must be the name of the file, " + name + ", got " + given.text());
        }
        String mark = sql(fields, "mark");
        if (mark.equalsIgnoreCase("delete") && fields.node("outcome") != null) {
            problem(lines.get("outcome"), "outcome needs the row, but mark: delete has deleted it");
        }
        return new Intake(
                name,
                file,
                fields.required("dataSource").text(),
                sql(fields, "table"),
                texts(fields, "key"),
                sql(fields, "pending"),
                texts(fields, "order"),
                mark.equalsIgnoreCase("delete") ? Optional.empty() : Optional.of(mark),
                message(fields),
                Math.toIntExact(number(fields, "batch", 1000, MOST_ROWS)),
                delay(fields),
                size(fields),
                timeZone(fields),
                fields.section("outcome", OUTCOME_FIELDS).map(this::outcome),
                Map.copyOf(lines));
    }

    private MessageFields message(YamlFields fields) {
        Optional<YamlFields> section = fields.section("message", MESSAGE_FIELDS);
        if (section.isEmpty()) {
            problem(fields.line(), "message is missing: it needs aggregateType, aggregateId and type");
            return new MessageFields(Optional.empty(), "", "", "", new Payload(Payload.Kind.ROW, List.of()), Map.of());
        }
        YamlFields message = section.get();
        return new MessageFields(
                message.text("id").map(text -> expression(text, "id")),
                expression(message.required("aggregateType"), "aggregateType"),
                expression(message.required("aggregateId"), "aggregateId"),
                expression(message.required("type"), "type"),
                payload(message),
                headers(message));
    }

    private Payload payload(YamlFields message) {
        Optional<String> bytes = message.text("payloadBytes").map(text -> expression(text, "payloadBytes"));
        if (bytes.isPresent()) {
            if (message.node("payload") != null) {
                problem(lines.get("message.payloadBytes"), "payload and payloadBytes exclude each other");
            }
            return new Payload(Payload.Kind.BYTES, List.of(bytes.get()));
        }
        List<String> given = texts(message, "payload");
        if (message.node("payload") instanceof SequenceNode) {
            return new Payload(Payload.Kind.COLUMNS, given);
        }
        return switch (given.isEmpty() ? "row" : given.get(0)) {
            case "row" -> new Payload(Payload.Kind.ROW, List.of());
            case "none" -> new Payload(Payload.Kind.NONE, List.of());
            default -> new Payload(Payload.Kind.JSON, given);
        };
    }

    private Map<String, String> headers(YamlFields message) {
        Map<String, String> headers = new LinkedHashMap<>();
        message.section("headers", Set.of()).ifPresent(given -> given.names().forEach(name -> given.text(name)
                .map(text -> header(text, name))
                .ifPresent(expression -> headers.put(name, expression))));
        return headers;
    }

    private String header(Located text, String name) {
        if (name.isBlank()) {
            problem(text.line(), "headers has a header without a name");
        }
        Texts.problem(name)
                .ifPresent(
                        found -> problem(text.line(), "the name of the header " + Texts.storable(name) + " " + found));
        return expression(text, "headers." + name);
    }

    private Outcome outcome(YamlFields outcome) {
        Located subscription = outcome.required("subscription");
        if (!subscription.text().isEmpty() && !LaneId.isName(subscription.text())) {
            problem(
                    subscription.line(),
                    "subscription must be the name of a subscription, such as orders, got " + subscription.text());
        }
        Optional<Located> dead = outcome.text("dead");
        dead.ifPresent(text -> checkSql("dead", text, List.of(SqlFragment.ERROR, SqlFragment.ATTEMPTS)));
        return new Outcome(subscription.text(), sql(outcome, "delivered"), dead.map(Located::text));
    }

    private List<String> texts(YamlFields fields, String name) {
        List<Located> texts = fields.texts(name);
        if (fields.node(name) instanceof SequenceNode list && list.getValue().isEmpty()) {
            problem(YamlFields.line(list), name + " must have at least one entry");
        }
        for (Located text : texts) {
            if (text.text().isBlank()) {
                problem(text.line(), name + " must be text");
            }
        }
        return texts.stream().map(text -> expression(text, name)).toList();
    }

    private String sql(YamlFields fields, String name) {
        return checkSql(name, fields.required(name), List.of());
    }

    /** One expression: a comma would make two of it. */
    private String expression(Located text, String name) {
        if (SqlFragment.of(text.text()).parts().size() > 1) {
            problem(text.line(), name + " must be one expression, got " + text.text());
        }
        return checkSql(name, text, List.of());
    }

    private String checkSql(String name, Located text, List<String> parameters) {
        SqlFragment.of(text.text()).problem(parameters).ifPresent(found -> problem(text.line(), name + " " + found));
        return text.text();
    }

    private long number(YamlFields fields, String name, long missing, long most) {
        return parsed(
                        fields,
                        name,
                        "a whole number from 1 to " + most,
                        text -> text.matches("\\d{1,9}") ? Optional.of(Long.valueOf(text)) : Optional.empty())
                .filter(number -> inRange(fields, name, number, most))
                .orElse(missing);
    }

    private boolean inRange(YamlFields fields, String name, long number, long most) {
        if (number >= 1 && number <= most) {
            return true;
        }
        problem(YamlFields.line(fields.node(name)), name + " must be between 1 and " + most + ", got " + number);
        return false;
    }

    private Duration delay(YamlFields fields) {
        Duration delay = parsed(fields, "delay", "a duration with a unit, such as 50ms or 2s", IntakeFile::duration)
                .orElse(Duration.ofMillis(50));
        if (delay.isNegative() || delay.isZero() || delay.compareTo(LONGEST_DELAY) > 0) {
            problem(YamlFields.line(fields.node("delay")), "delay must be between 1ms and 1h");
        }
        return delay;
    }

    private static Optional<Duration> duration(String text) {
        try {
            return OptionValue.problem("time", List.of(), text).isEmpty()
                    ? Optional.of(Duration.ofMillis(TimeUtils.toMilliSeconds(text)))
                    : Optional.empty();
        } catch (NumberFormatException | ArithmeticException e) {
            return Optional.empty(); // too many digits
        }
    }

    private long size(YamlFields fields) {
        Optional<Long> bytes = parsed(fields, "maxPayload", "a size such as 500kB or 16MB", IntakeFile::bytes);
        if (bytes.isPresent() && (bytes.get() < 1 || bytes.get() > MOST_BYTES)) {
            problem(YamlFields.line(fields.node("maxPayload")), "maxPayload must be between 1B and 64MB");
        }
        return bytes.orElse(16L << 20);
    }

    private static Optional<Long> bytes(String text) {
        Matcher size = SIZE.matcher(text);
        if (!size.matches()) {
            return Optional.empty();
        }
        String unit = size.group(2) == null ? "B" : size.group(2);
        return Optional.of(Long.parseLong(size.group(1)) << (unit.equals("MB") ? 20 : unit.equals("B") ? 0 : 10));
    }

    private Optional<ZoneId> timeZone(YamlFields fields) {
        return parsed(fields, "timeZone", "a time zone such as UTC, +02:00 or Europe/Berlin", text -> {
            try {
                return Optional.of(ZoneId.of(text));
            } catch (DateTimeException e) {
                return Optional.empty();
            }
        });
    }

    private <T> Optional<T> parsed(
            YamlFields fields, String name, String expected, Function<String, Optional<T>> parse) {
        Optional<Located> text = fields.text(name);
        Optional<T> value = text.map(Located::text).flatMap(parse);
        if (text.isPresent() && value.isEmpty()) {
            problem(
                    text.get().line(),
                    name + " must be " + expected + ", got " + text.get().text());
        }
        return value;
    }

    private void problem(int line, String text) {
        problems.add(new FileProblem(file, line, text));
    }
}
