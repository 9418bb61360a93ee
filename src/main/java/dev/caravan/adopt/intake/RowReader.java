package dev.caravan.adopt.intake;

import static dev.caravan.adopt.intake.RowDraft.MOST_HEADER_BYTES;
import static dev.caravan.adopt.intake.RowDraft.MOST_KEY_READ;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.adopt.intake.Intake.Payload;
import dev.caravan.adopt.intake.RowDraft.Fault;
import dev.caravan.base.message.Json;
import dev.caravan.base.text.ErrorText;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.StoredJson;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Makes messages of rows. A row that cannot be one is rejected, with the first fault that was found. */
final class RowReader {
    /** The fault of a row whose payload is not kept. */
    static final String TOO_LARGE = "PayloadTooLarge";

    /** The most bytes of aggregate type, aggregate id and type together, as the outbox has it. */
    private static final int MOST_KEY_BYTES = 1_000;

    private static final int MOST_ZEROS = 40;
    private static final JsonFactory JSON = StoredJson.factory();

    private final Intake intake;
    private final Selection selection;
    private final List<ColumnType> types;

    RowReader(SourceCheck.Checked checked) {
        selection = checked.selection();
        intake = selection.intake();
        types = checked.types();
    }

    /** Reads the current row. */
    SourceRow read(ResultSet row) throws SQLException {
        List<Value> values = new ArrayList<>();
        RowDraft draft = new RowDraft();
        for (int i = 0; i < types.size(); i++) {
            Value value = Value.NULL;
            try {
                value = types.get(i).read(row, i + 1, most(i), intake.timeZone());
            } catch (SQLException | RuntimeException e) {
                if (i < selection.keys()
                        || row.isClosed()
                        || e instanceof SQLException failure && SourceCheck.isOfDatabase(failure)) {
                    throw e;
                }
                draft.payloadLeftOut = true; // with null for the value that cannot be read it would be wrong
                draft.reject(new Fault(
                        "UnreadableValue",
                        selection.shown(i) + " cannot be read: " + ErrorText.masked(String.valueOf(e.getMessage()))));
            }
            values.add(value);
        }
        int size = types.size();
        for (int i = 0; i < types.size(); i++) {
            if (selection.columns().get(i).size().isPresent() && row.getObject(++size) != null) {
                values.set(i, new Value(new Value.TooLarge(most(i)), false));
            }
        }
        return row(key(values), values, draft);
    }

    private long most(int column) {
        if (column >= selection.firstPayload()) {
            return intake.maxPayload();
        }
        return column >= selection.firstHeader() ? MOST_HEADER_BYTES : MOST_KEY_READ;
    }

    private RowKey key(List<Value> values) {
        List<Object> key = new ArrayList<>();
        for (int i = 0; i < selection.keys(); i++) {
            Value value = values.get(i);
            if (value.isNull()) {
                throw refusal("a row has no value in the column " + selection.label(i)
                        + " of the key, so that it cannot be marked. Make the column not null, or name another key");
            }
            if (value.isTooLarge()) {
                throw refusal("a row has more than " + MOST_KEY_READ + " characters in the column " + selection.label(i)
                        + " of the key. Name another key");
            }
            key.add(value.value());
        }
        return new RowKey(key);
    }

    private IntakeRefusal refusal(String text) {
        return new IntakeRefusal(intake.problem("key", text).toString());
    }

    private SourceRow row(RowKey key, List<Value> values, RowDraft draft) {
        draft.attempt(() -> draft.aggregateType = text(values, selection.aggregateType()));
        draft.attempt(() -> draft.aggregateId = text(values, selection.aggregateType() + 1));
        draft.attempt(() -> draft.type = text(values, selection.aggregateType() + 2));
        draft.attempt(() -> headers(values, draft));
        draft.attempt(() -> payload(values, draft));
        return checked(draft, key, messageId(key, values));
    }

    private SourceRow checked(RowDraft draft, RowKey key, UUID messageId) {
        draft.attempt(() -> checkKey(draft));
        draft.attempt(() -> checkContent(draft));
        return draft.row(key, messageId);
    }

    private void checkKey(RowDraft draft) throws Fault {
        List<String> texts = Arrays.asList(draft.aggregateType, draft.aggregateId, draft.type);
        long bytes = 0;
        for (int i = 0; i < texts.size(); i++) {
            String text = texts.get(i);
            String shown = selection.shown(selection.aggregateType() + i);
            if (text == null || text.isBlank()) {
                throw new Fault("NoKey", shown + (text == null ? " is null" : " is blank"));
            }
            requireStorable(text, shown);
            bytes += Texts.bytes(text);
        }
        if (bytes > MOST_KEY_BYTES) {
            throw new Fault(
                    "KeyTooLong",
                    "aggregateType, aggregateId and type have " + bytes + " bytes together, more than "
                            + MOST_KEY_BYTES);
        }
    }

    private void checkContent(RowDraft draft) throws Fault {
        if (draft.headers != null && Texts.bytes(draft.headers) > MOST_HEADER_BYTES) {
            throw new Fault("HeadersTooLarge", "the headers have more than " + Formatted.bytes(MOST_HEADER_BYTES));
        }
        if (draft.payload != null) {
            String shown = intake.message().payload().kind() == Payload.Kind.JSON
                    ? selection.shown(selection.firstPayload())
                    : "payload";
            Optional<String> invalid = draft.isJson ? Optional.empty() : invalid(draft.payload);
            if (invalid.isPresent()) {
                throw new Fault("InvalidJson", shown + " is not JSON: " + invalid.get());
            }
            requireStorable(draft.payload, shown);
        }
    }

    private static void requireStorable(String text, String shown) throws Fault {
        Optional<String> problem = Texts.problem(text);
        if (problem.isPresent()) {
            throw new Fault("InvalidText", shown + " " + problem.get());
        }
    }

    private UUID messageId(RowKey key, List<Value> values) {
        Value id = selection.id().map(values::get).orElse(Value.NULL);
        if (id.isNull() || id.isTooLarge()) {
            List<Object> unpadded = new ArrayList<>();
            for (int i = 0; i < selection.keys(); i++) {
                Object value = key.values().get(i);
                unpadded.add(value instanceof String text ? unpadded(text, i) : value);
            }
            return new RowKey(unpadded).messageId(intake.name());
        }
        return id.uuid()
                .orElseGet(() -> RowKey.messageId(
                        intake.name(), unpadded(id.text(), selection.id().get())));
    }

    /** Blanks at the end are the padding of a column with a fixed length, which not every driver returns. */
    private String unpadded(String text, int column) {
        return types.get(column).isPadded() ? text.stripTrailing() : text;
    }

    /** A part of the key or the type. */
    private String text(List<Value> values, int column) throws Fault {
        Value value = values.get(column);
        if (value.isNull()) {
            return null;
        }
        if (value.isTooLarge()) {
            throw new Fault("KeyTooLong", selection.shown(column) + " has more than " + MOST_KEY_READ + " characters");
        }
        return unpadded(value.text(), column);
    }

    private void headers(List<Value> values, RowDraft draft) throws Fault {
        draft.headersLeftOut = true; // until all of them are known
        ObjectNode headers = JsonNodeFactory.instance.objectNode();
        for (int i = selection.firstHeader(); i < selection.firstPayload(); i++) {
            Value value = values.get(i);
            if (value.isTooLarge()) {
                throw new Fault(
                        "HeadersTooLarge", selection.shown(i) + " has more than " + Formatted.bytes(MOST_HEADER_BYTES));
            }
            if (!value.isNull()) {
                put(headers, selection.label(i), value);
            }
        }
        draft.headers = headers.isEmpty() ? null : text(headers);
        draft.headersLeftOut = false;
    }

    /** The text of headers, which Postgres stores as jsonb: it refuses characters that json accepts in their escaped form. */
    private static String text(JsonNode headers) throws Fault {
        for (var header : headers.properties()) {
            String text = header.getKey()
                    + (header.getValue().isTextual() ? header.getValue().textValue() : "");
            requireStorable(text, "the header " + Texts.storable(header.getKey()));
            if (header.getValue().isContainerNode()) {
                throw new Fault(
                        "InvalidJson", "the header " + header.getKey() + " must be a text, a number, true or false");
            }
        }
        return StoredJson.text(headers);
    }

    private static void put(ObjectNode headers, String name, Value value) {
        Object content = value.value();
        if (content instanceof Boolean flag) {
            headers.put(name, flag);
        } else if (content instanceof Number number) {
            headers.set(name, DecimalNode.valueOf(decimal(number)));
        } else if (content instanceof byte[] bytes) {
            headers.put(name, Base64.getEncoder().encodeToString(bytes));
        } else {
            headers.put(name, value.text());
        }
    }

    private static BigDecimal decimal(Number number) {
        return number instanceof BigDecimal decimal ? decimal : new BigDecimal(number.toString());
    }

    private void payload(List<Value> values, RowDraft draft) throws Fault {
        if (draft.payloadLeftOut) {
            return;
        }
        List<Value> payload = values.subList(selection.firstPayload(), values.size());
        for (int i = 0; i < payload.size(); i++) {
            if (payload.get(i).isTooLarge()) {
                throw tooLarge(draft, selection.shown(selection.firstPayload() + i));
            }
        }
        switch (intake.message().payload().kind()) {
            case NONE -> {}
            case ROW, COLUMNS -> {
                draft.payload = object(payload);
                draft.isJson = true;
            }
            case JSON -> json(payload.get(0), draft);
            case BYTES -> draft.payloadBytes = bytes(payload.get(0));
        }
        if (draft.payloadSize() > intake.maxPayload()) {
            throw tooLarge(draft, "the payload");
        }
    }

    private Fault tooLarge(RowDraft draft, String what) {
        draft.payloadLeftOut = true;
        draft.payload = null;
        draft.payloadBytes = null;
        return new Fault(
                TOO_LARGE, what + " has more than " + Formatted.bytes(intake.maxPayload()) + ", the limit maxPayload");
    }

    private void json(Value value, RowDraft draft) throws Fault {
        if (value.isNull()) {
            return;
        }
        if (value.value() instanceof byte[] bytes) {
            Optional<String> text = Texts.utf8(bytes);
            if (text.isEmpty()) {
                draft.payloadBytes = bytes;
                throw new Fault(
                        "InvalidJson",
                        selection.shown(selection.firstPayload())
                                + " has bytes that are no text in UTF-8. For bytes use payloadBytes");
            }
            draft.payload = text.get();
        } else {
            draft.payload = value.text();
        }
    }

    private static byte[] bytes(Value value) {
        if (value.isNull()) {
            return null;
        }
        return value.value() instanceof byte[] bytes ? bytes : value.text().getBytes(StandardCharsets.UTF_8);
    }

    private String object(List<Value> columns) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            for (int i = 0; i < columns.size(); i++) {
                json.writeFieldName(selection.label(selection.firstPayload() + i));
                write(json, columns.get(i));
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static void write(JsonGenerator json, Value value) throws IOException {
        Object content = value.value();
        if (content == null) {
            json.writeNull();
        } else if (content instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else if (content instanceof Number number) {
            json.writeNumber(shown(decimal(number)));
        } else if (content instanceof byte[] bytes) {
            json.writeString(Base64.getEncoder().encodeToString(bytes));
        } else if (value.json() && invalid(value.text()).isEmpty()) {
            json.writeRawValue(value.text());
        } else {
            json.writeString(value.text());
        }
    }

    /** All digits; with an exponent only where they would be mostly zeros. */
    private static String shown(BigDecimal number) {
        return Math.abs(number.scale()) > MOST_ZEROS ? number.toString() : number.toPlainString();
    }

    /** Why a text is not JSON; empty if it is. */
    static Optional<String> invalid(String text) {
        try (JsonParser tokens = JSON.createParser(text)) {
            int depth = 0;
            int values = 0;
            for (var token = tokens.nextToken(); token != null; token = tokens.nextToken()) {
                values += depth == 0 ? 1 : 0; // an end is never at depth 0
                depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
            }
            return values(text, values);
        } catch (JsonProcessingException e) {
            return Optional.of("at line " + e.getLocation().getLineNr() + ", column "
                    + e.getLocation().getColumnNr());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Optional<String> values(String text, int values) {
        if (values == 1) {
            return Optional.empty();
        }
        return Optional.of(text.isBlank() ? "it is empty" : "it has " + values + " values");
    }

    /** The message that a JSON of {@link SourceRow.Rejected#row}, which a person may have edited, describes. */
    SourceRow stored(RowKey key, UUID messageId, String json) {
        RowDraft draft = new RowDraft();
        draft.attempt(() -> read(tree(json), draft));
        return checked(draft, key, messageId);
    }

    private static JsonNode tree(String json) throws Fault {
        try {
            return Json.read(json);
        } catch (IllegalArgumentException e) {
            throw new Fault("InvalidJson", "the stored row is not JSON");
        }
    }

    private void read(JsonNode row, RowDraft draft) throws Fault {
        if (!row.isObject()) {
            throw new Fault("InvalidJson", "the stored row is not an object");
        }
        draft.aggregateType = stored(row, "aggregateType");
        draft.aggregateId = stored(row, "aggregateId");
        draft.type = stored(row, "type");
        if (row.hasNonNull("headers")) {
            if (!row.get("headers").isObject()) {
                throw new Fault("InvalidJson", "headers must be an object");
            }
            draft.headers = text(row.get("headers"));
        }
        draft.headersLeftOut = row.path("headersLeftOut").asBoolean();
        if (draft.headersLeftOut) {
            throw new Fault("HeadersLeftOut", "the headers were not stored");
        }
        if (row.path("payloadLeftOut").asBoolean()) {
            draft.payloadLeftOut = true;
            throw new Fault("PayloadLeftOut", "the payload was not stored");
        }
        if (row.hasNonNull("payloadBytes")) {
            try {
                draft.payloadBytes =
                        Base64.getDecoder().decode(row.get("payloadBytes").asText());
            } catch (IllegalArgumentException e) {
                throw new Fault("InvalidBytes", "payloadBytes is not Base64");
            }
        } else if (row.hasNonNull("payloadText")) {
            draft.payload = row.get("payloadText").asText();
        } else if (row.hasNonNull("payload")) {
            draft.payload = StoredJson.text(row.get("payload"));
        }
    }

    private static String stored(JsonNode row, String name) {
        JsonNode value = row.path(name);
        return value.isValueNode() && !value.isNull() ? value.asText() : null;
    }
}
