package dev.caravan.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.deadletter.DeadLetter;
import dev.caravan.http.Body;
import dev.caravan.http.HttpProblem;
import dev.caravan.json.BadLine;
import dev.caravan.json.JsonDifference;
import dev.caravan.json.Mask;
import dev.caravan.json.MessageEdit;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A new payload or new headers for a dead letter. A value that is equal to the old one keeps its bytes. */
final class Edit {
    static final Edit NONE = new Edit(Optional.empty());

    private final Optional<MessageEdit> edit;

    private Edit(Optional<MessageEdit> edit) {
        this.edit = edit;
    }

    /** @throws HttpProblem when the edit cannot be used, or changes nothing */
    static Edit of(Body given, DeadLetter letter, Mask mask) {
        given.requireKnown(Set.of("payload", "headers"));
        try {
            ObjectNode changed = JsonNodeFactory.instance.objectNode();
            put(changed, "payload", given, letter.payload(), mask);
            put(changed, "headers", given, letter.headers(), mask);
            if (changed.isEmpty()) {
                throw HttpProblem.conflict("The edit does not change " + letter
                        + ". Nothing was changed. To retry it unchanged, leave out edit.");
            }
            return new Edit(Optional.of(MessageEdit.read(changed.toString().getBytes(StandardCharsets.UTF_8))));
        } catch (BadLine bad) {
            throw HttpProblem.wrong("Could not use the edit: " + bad.getMessage() + ". Nothing was changed.");
        }
    }

    private static void put(ObjectNode changed, String name, Body given, Optional<String> original, Mask mask)
            throws BadLine {
        Optional<JsonNode> value = given.any(name);
        if (value.isPresent()) {
            JsonNode revealed = mask.reveal(value.get(), original.orElse("null"));
            if (!JsonDifference.isSame(revealed, original)) {
                changed.set(name, revealed);
            }
        }
    }

    boolean changesAnything() {
        return edit.isPresent();
    }

    Optional<String> payload(DeadLetter letter) {
        return edit.orElseThrow().payload(letter);
    }

    Optional<String> headers(DeadLetter letter) {
        return edit.orElseThrow().headers(letter);
    }

    /** The fields of one difference, masked. */
    List<Map<String, Object>> changes(DeadLetter letter, Mask mask) {
        return edit.map(changed -> changed.differences(letter)).orElse(List.of()).stream()
                .map(difference -> fields(difference, mask))
                .toList();
    }

    private static Map<String, Object> fields(JsonDifference difference, Mask mask) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("path", difference.path());
        fields.put("from", shown(difference, difference.from(), mask));
        fields.put("to", shown(difference, difference.to(), mask));
        return fields;
    }

    /** Null both for a missing value and for JSON {@code null}. */
    private static JsonNode shown(JsonDifference difference, JsonNode value, Mask mask) {
        if (value.isMissingNode() || value.isNull()) {
            return JsonNodeFactory.instance.nullNode();
        }
        return mask.hidesPath(difference.path())
                ? JsonNodeFactory.instance.textNode(Mask.HIDDEN)
                : mask.hidden(value.deepCopy());
    }
}
