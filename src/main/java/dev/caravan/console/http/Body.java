package dev.caravan.console.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.base.message.Key;
import dev.caravan.base.text.StoredJson;
import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** The JSON object in the body of a request. Numbers keep all digits. */
public final class Body {
    private static final JsonMapper JSON = StoredJson.mapper()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private final JsonNode fields;
    private final String path;

    private Body(JsonNode fields, String path) {
        this.fields = fields;
        this.path = path;
    }

    public static Body empty() {
        return new Body(JSON.createObjectNode(), "");
    }

    /**
     * Parses a body; an empty body has no fields.
     *
     * @throws HttpProblem for anything but a JSON object; the detail does not quote the body
     */
    static Body read(byte[] content) {
        if (content.length == 0) {
            return empty();
        }
        try {
            if (JSON.readTree(content) instanceof ObjectNode object) {
                return new Body(object, "");
            }
        } catch (JsonProcessingException e) {
            var at = e.getLocation();
            throw HttpProblem.wrong("The body is not valid JSON"
                    + (at == null ? "" : ": see line " + at.getLineNr() + ", column " + at.getColumnNr())
                    + ". Nothing was changed.");
        } catch (IOException e) {
            throw HttpProblem.wrong("Could not read the body. Nothing was changed.");
        }
        throw HttpProblem.wrong("The body must be a JSON object. Nothing was changed.");
    }

    /** @throws HttpProblem when the object has a field that is not known */
    public void requireKnown(Collection<String> known) {
        Set<String> given = new LinkedHashSet<>();
        fields.fieldNames().forEachRemaining(given::add);
        Call.requireKnown(given, known, path.isEmpty() ? "field" : "field in " + path.substring(0, path.length() - 1));
    }

    /** A nested object; empty when it is missing or null. */
    public Optional<Body> object(String name) {
        return value(name).map(value -> {
            if (!value.isObject()) {
                throw wrong(name, "an object");
            }
            return new Body(value, path + name + ".");
        });
    }

    /** The whole object. */
    public JsonNode fields() {
        return fields;
    }

    /** A value of any type, including JSON {@code null}. */
    public Optional<JsonNode> any(String name) {
        return Optional.ofNullable(fields.get(name));
    }

    private Optional<JsonNode> value(String name) {
        return any(name).filter(value -> !value.isNull());
    }

    /** Whether a field is given and not null. */
    public boolean has(String name) {
        return value(name).isPresent();
    }

    /** A string; empty when it is missing, null or blank. */
    public Optional<String> text(String name) {
        return value(name)
                .map(value -> {
                    if (!value.isTextual()) {
                        throw wrong(name, "a string");
                    }
                    return Call.storable(path + name, value.textValue());
                })
                .filter(text -> !text.isBlank());
    }

    public Optional<Long> number(String name, long min, long max) {
        return value(name).map(value -> {
            if (!value.isIntegralNumber()) {
                throw wrong(name, "a whole number");
            }
            return Call.number(path + name, value.asText(), min, max);
        });
    }

    public boolean flag(String name) {
        return value(name)
                .map(value -> {
                    if (!value.isBoolean()) {
                        throw wrong(name, "true or false");
                    }
                    return value.booleanValue();
                })
                .orElse(false);
    }

    public Optional<Instant> time(String name) {
        return text(name).map(text -> Call.time(path + name, text));
    }

    public Optional<UUID> uuid(String name) {
        return text(name).map(text -> Call.uuid(path + name, text));
    }

    public Optional<Key> key(String name) {
        return text(name).map(text -> Call.key(path + name, text));
    }

    private HttpProblem wrong(String name, String expected) {
        return HttpProblem.wrong(path + name + " must be " + expected + ". Nothing was changed.");
    }
}
