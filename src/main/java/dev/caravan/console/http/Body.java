package dev.caravan.console.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.base.text.StoredJson;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/** The JSON object in the body of a request. Numbers keep all digits. */
public final class Body implements Values {
    private static final JsonMapper JSON = StoredJson.requestMapper()
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
        } catch (StreamConstraintsException e) {
            throw HttpProblem.wrong("The body is nested too deeply. Nothing was changed.");
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

    @Override
    public String inProblem(String name) {
        return path + name;
    }

    /** A string; empty when it is missing, null or blank. */
    @Override
    public Optional<String> text(String name) {
        return value(name)
                .map(value -> {
                    if (!value.isTextual()) {
                        throw wrong(name, "a string");
                    }
                    return Call.storable(inProblem(name), value.textValue());
                })
                .filter(text -> !text.isBlank());
    }

    public Optional<Long> number(String name, long min, long max) {
        return value(name).map(value -> {
            if (!value.isIntegralNumber()) {
                throw wrong(name, "a whole number");
            }
            return Call.number(inProblem(name), value.asText(), min, max);
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

    private HttpProblem wrong(String name, String expected) {
        return HttpProblem.wrong(inProblem(name) + " must be " + expected + ". Nothing was changed.");
    }
}
