package dev.caravan.console.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.base.message.BadLine;
import dev.caravan.base.message.JsonDifference;
import dev.caravan.base.message.Mask;
import dev.caravan.base.message.MessageEdit;
import dev.caravan.base.message.StoredContent;
import dev.caravan.base.text.Sentence;
import dev.caravan.base.text.StoredJson;
import dev.caravan.console.http.Body;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.operate.failed.DeadLetter;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A new payload or new headers for a dead letter. A value that is equal to the shown one is not changed, not even in its notation. It is
 * compared with what is shown, and a masked value with the mask: otherwise nobody sees it, but everybody could guess it and learn whether the
 * guess is right.
 *
 * @param changed the content of the dead letter after the edit; empty when nothing was given
 * @param changes the differences between the dead letter as it is shown, with masked values, and the new values as the person gave them: nobody
 *     else sees this answer
 */
record Edit(Optional<StoredContent> changed, List<Difference> changes) {
    static final Edit NONE = new Edit(Optional.empty(), List.of());

    /** @throws HttpProblem when the edit cannot be used, or changes nothing */
    static Edit of(Body given, DeadLetter letter, Mask mask) {
        given.requireKnown(Set.of("payload", "payloadBase64", "headers"));
        StoredContent original = letter.content();
        StoredContent shown = new StoredContent(
                original.headers().map(mask::hide),
                original.payload().map(mask::hide),
                original.bytes(),
                original.leftOut());
        try {
            ObjectNode changed = JsonNodeFactory.instance.objectNode();
            ObjectNode asGiven = JsonNodeFactory.instance.objectNode();
            put(changed, asGiven, "payload", given, original.payload(), shown.payload(), mask);
            put(changed, asGiven, "headers", given, original.headers(), shown.headers(), mask);
            putBytes(changed, asGiven, given, original.bytes());
            if (changed.isEmpty()) {
                throw HttpProblem.conflict("The edit does not change " + letter
                        + ". Nothing was changed. To retry it unchanged, leave out edit.");
            }
            return new Edit(
                    Optional.of(letter.edited(read(changed))),
                    MessageEdit.differences(shown, read(asGiven).of(shown)).stream()
                            .map(Difference::of)
                            .toList());
        } catch (BadLine bad) {
            throw HttpProblem.wrong(
                    "Could not use the edit: " + Sentence.of(bad.getMessage()) + " Nothing was changed.");
        }
    }

    private static MessageEdit read(ObjectNode fields) throws BadLine {
        return MessageEdit.read(StoredJson.text(fields).getBytes(StandardCharsets.UTF_8));
    }

    private static void put(
            ObjectNode changed,
            ObjectNode asGiven,
            String name,
            Body given,
            Optional<String> original,
            Optional<String> shown,
            Mask mask)
            throws BadLine {
        Optional<JsonNode> value = given.any(name);
        if (value.isPresent() && !JsonDifference.isSame(value.get(), shown)) {
            asGiven.set(name, value.get().deepCopy());
            changed.set(name, mask.reveal(value.get(), original.orElse("null")));
        }
    }

    private static void putBytes(ObjectNode changed, ObjectNode asGiven, Body given, Optional<byte[]> original) {
        Optional<JsonNode> value = given.any("payloadBase64");
        String before = original.map(Base64.getEncoder()::encodeToString).orElse(null);
        if (value.isPresent() && !Objects.equals(value.get().textValue(), before)) {
            changed.set("payloadBase64", value.get());
            asGiven.set("payloadBase64", value.get());
        }
    }

    /** A value that differs. Null both for a missing value and for JSON {@code null}. */
    record Difference(String path, JsonNode from, JsonNode to) {
        static Difference of(JsonDifference found) {
            return new Difference(found.path(), shown(found.from()), shown(found.to()));
        }

        private static JsonNode shown(JsonNode value) {
            return value.isMissingNode() ? JsonNodeFactory.instance.nullNode() : value;
        }
    }
}
