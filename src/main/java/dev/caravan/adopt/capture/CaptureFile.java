package dev.caravan.adopt.capture;

import dev.caravan.adopt.capture.CapturedEvent.Operation;
import dev.caravan.adopt.capture.CapturedEvent.Payload;
import dev.caravan.adopt.file.FileProblem;
import dev.caravan.adopt.file.Located;
import dev.caravan.adopt.file.YamlFields;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads the file of a capture; docs/capture.md describes its fields. */
final class CaptureFile {
    private static final Set<String> FIELDS = Set.of(
            "table",
            "aggregate-type",
            "aggregate-id",
            "message-id",
            "per",
            "always",
            "truncate",
            "events",
            "backfill",
            "take-over");
    private static final Set<String> EVENT_FIELDS = Set.of("on", "type", "of", "when", "payload", "headers");
    private static final Set<String> BACKFILL_FIELDS = Set.of("type", "when", "payload", "headers");
    private static final String NAME = "[a-z][a-z0-9_]{0,29}";
    /** Endings that the names of triggers of a capture contain. */
    private static final String RESERVED = ".*_(key_[12]|again)";

    /** The value of a column, as in a type. */
    private static final String VALUE = "\\{([^{}]+)}";

    private final Path file;
    private final List<FileProblem> problems;

    private CaptureFile(Path file, List<FileProblem> problems) {
        this.file = file;
        this.problems = problems;
    }

    /** Returns the definition; empty if the file contains none. Adds what is wrong to the problems. */
    static Optional<Capture> read(Path file, List<FileProblem> problems) {
        int before = problems.size();
        Optional<Capture> capture = new CaptureFile(file, problems).read();
        return problems.size() == before ? capture : Optional.empty();
    }

    private Optional<Capture> read() {
        return YamlFields.content(file, problems).map(node -> capture(new YamlFields(file, node, FIELDS, problems)));
    }

    private Capture capture(YamlFields fields) {
        String name = YamlFields.name(file).replace('-', '_');
        if (!name.matches(NAME)) {
            problem(
                    1,
                    "the name of the file must have 1 to 30 lower-case letters, digits, dashes and underscores, and begin"
                            + " with a letter: it is the name of the capture");
        }
        if (name.matches(RESERVED)) {
            problem(
                    1,
                    "the name of the file must not end in -key-1, -key-2 or -again: triggers of another capture may have this name");
        }
        List<CapturedEvent> events = new ArrayList<>();
        for (YamlFields each : fields.each("events", EVENT_FIELDS)) {
            events.add(event(events.size() + 1, each));
        }
        Capture capture = new Capture(
                name,
                file,
                fields.required("table"),
                fields.required("aggregate-type").text(),
                fields.texts("aggregate-id"),
                fields.text("message-id"),
                fields.choice("per", "row", "statement").equals("statement"),
                fields.flag("always"),
                fields.choice("truncate", "refuse", "ignore").equals("ignore"),
                events,
                snapshot(fields, events),
                fields.section("take-over", TakeOver.FIELDS).map(TakeOver::of));
        consistent(capture, fields);
        return capture;
    }

    private void consistent(Capture capture, YamlFields fields) {
        boolean onlyInserts = capture.events().stream().allMatch(event -> event.on() == Operation.INSERT);
        if (capture.perStatement() && !onlyInserts) {
            problem(
                    fields.line(),
                    "per: statement is for tables that are only inserted into: each event must be on: insert");
        }
        if (capture.perStatement() && capture.always()) {
            problem(
                    YamlFields.line(fields.node("always")),
                    "always: true and per: statement exclude each other: logical replication applies rows one by one, and"
                            + " calls no trigger for each statement. Use per: row");
        }
        if (capture.messageId().isPresent() && !onlyInserts) {
            problem(
                    capture.messageId().get().line(),
                    "message-id is for tables that are only inserted into: several messages of a row would have the same id");
        }
        capture.takeOver().ifPresent(takeOver -> {
            if (capture.perStatement() || !onlyInserts) {
                problem(
                        takeOver.line(),
                        "take-over is for a table each of whose rows is to be sent: each event must be on: insert, with per: row");
            }
        });
        if (capture.truncateIgnored() && capture.has(Operation.TRUNCATE)) {
            problem(fields.line(), "truncate: ignore and an event on: truncate exclude each other");
        }
    }

    private CapturedEvent event(int number, YamlFields fields) {
        Operation on = Operation.valueOf(
                fields.required("on").text().isEmpty()
                        ? "INSERT"
                        : fields.choice("on", "insert", "update", "delete", "truncate")
                                .toUpperCase(Locale.ROOT));
        List<Located> of = fields.texts("of");
        if (!of.isEmpty() && on != Operation.UPDATE) {
            problem(of.get(0).line(), "of is for events on: update");
        }
        List<Located> columns = fields.texts("payload");
        Payload payload = payload(columns);
        if (payload == Payload.OLD_AND_NEW && on != Operation.UPDATE) {
            problem(columns.get(0).line(), "payload: old-and-new is for events on: update");
        }
        Located type = fields.required("type");
        if (on == Operation.TRUNCATE
                && (!fields.names().equals(Set.of("on", "type")) || type.text().contains("{"))) {
            problem(fields.line(), "an event on: truncate has no row: it has only a type, without columns");
        }
        return new CapturedEvent(
                number, on, type, of, fields.text("when"), payload, payloadColumns(payload, columns), headers(fields));
    }

    /** Fields that the section does not set are those of the first event on insert. */
    private CapturedEvent snapshot(YamlFields fields, List<CapturedEvent> events) {
        Optional<YamlFields> given = fields.section("backfill", BACKFILL_FIELDS);
        Optional<CapturedEvent> insert =
                events.stream().filter(event -> event.on() == Operation.INSERT).findFirst();
        List<Located> columns = given.map(section -> section.texts("payload")).orElse(List.of());
        Payload payload = columns.isEmpty() ? insert.map(CapturedEvent::payload).orElse(Payload.ROW) : payload(columns);
        Optional<Located> when = given.flatMap(section -> section.text("when"));
        if (payload == Payload.OLD_AND_NEW) {
            Located cause = columns.isEmpty() ? insert.orElseThrow().type() : columns.get(0);
            problem(cause.line(), "a backfill has no old row, so its payload cannot be old-and-new");
        }
        when.filter(condition -> condition.text().matches("(?is).*\\bold\\..*"))
                .ifPresent(condition ->
                        problem(condition.line(), "a backfill has no old row: use new. before each column"));
        return new CapturedEvent(
                0,
                Operation.INSERT,
                given.flatMap(section -> section.text("type"))
                        .orElseGet(() -> new Located(
                                fields.text("aggregate-type").map(Located::text).orElse("") + ".snapshot",
                                fields.line())),
                List.of(),
                when,
                payload,
                columns.isEmpty()
                        ? insert.map(CapturedEvent::payloadColumns).orElse(List.of())
                        : payloadColumns(payload, columns),
                given.filter(section -> section.node("headers") != null)
                        .map(CaptureFile::headers)
                        .orElse(insert.map(CapturedEvent::headers).orElse(Map.of())));
    }

    private static Payload payload(List<Located> value) {
        if (value.isEmpty()) {
            return Payload.ROW;
        }
        return switch (value.size() == 1 ? value.get(0).text() : "") {
            case "row" -> Payload.ROW;
            case "old-and-new" -> Payload.OLD_AND_NEW;
            case "none" -> Payload.NONE;
            default -> value.size() == 1 && value.get(0).text().matches(VALUE) ? Payload.VALUE : Payload.COLUMNS;
        };
    }

    private static List<Located> payloadColumns(Payload payload, List<Located> value) {
        return switch (payload) {
            case COLUMNS -> value;
            case VALUE ->
                List.of(new Located(
                        value.get(0).text().replaceFirst(VALUE, "$1"),
                        value.get(0).line()));
            default -> List.of();
        };
    }

    private static Map<String, Located> headers(YamlFields fields) {
        Map<String, Located> headers = new LinkedHashMap<>();
        fields.section("headers", Set.of()).ifPresent(given -> given.names()
                .forEach(name -> given.text(name).ifPresent(column -> headers.put(name, column))));
        return headers;
    }

    private void problem(int line, String text) {
        problems.add(new FileProblem(file, line, text));
    }
}
