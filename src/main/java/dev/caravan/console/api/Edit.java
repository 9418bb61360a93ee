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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** A new payload or new headers for a dead letter. A value that is equal to the old one is not changed, not even in its notation. */
final class Edit {
    static final Edit NONE = new Edit(Optional.empty(), Optional.empty());

    /** Empty when nothing was given. */
    private final Optional<StoredContent> changed;

    /** The same as it was given: a value that was left masked is the mask. */
    private final Optional<StoredContent> given;

    private Edit(Optional<StoredContent> changed, Optional<StoredContent> given) {
        this.changed = changed;
        this.given = given;
    }

    /** @throws HttpProblem when the edit cannot be used, or changes nothing */
    static Edit of(Body given, DeadLetter letter, Mask mask) {
        given.requireKnown(Set.of("payload", "payloadBase64", "headers"));
        StoredContent original = letter.content();
        try {
            ObjectNode changed = JsonNodeFactory.instance.objectNode();
            ObjectNode asGiven = JsonNodeFactory.instance.objectNode();
            put(changed, asGiven, "payload", given, original.payload(), mask);
            put(changed, asGiven, "headers", given, original.headers(), mask);
            putBytes(changed, asGiven, given, original.bytes());
            if (changed.isEmpty()) {
                throw HttpProblem.conflict("The edit does not change " + letter
                        + ". Nothing was changed. To retry it unchanged, leave out edit.");
            }
            return new Edit(Optional.of(content(changed, original)), Optional.of(content(asGiven, original)));
        } catch (BadLine bad) {
            throw HttpProblem.wrong(
                    "Could not use the edit: " + Sentence.of(bad.getMessage()) + " Nothing was changed.");
        }
    }

    private static StoredContent content(ObjectNode fields, StoredContent original) throws BadLine {
        return MessageEdit.read(StoredJson.text(fields).getBytes(StandardCharsets.UTF_8))
                .of(original);
    }

    private static void put(
            ObjectNode changed, ObjectNode asGiven, String name, Body given, Optional<String> original, Mask mask)
            throws BadLine {
        Optional<JsonNode> value = given.any(name);
        if (value.isPresent()) {
            JsonNode revealed = mask.reveal(value.get().deepCopy(), original.orElse("null"));
            if (!JsonDifference.isSame(revealed, original)) {
                changed.set(name, revealed);
                asGiven.set(name, value.get());
            }
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

    boolean changesAnything() {
        return changed.isPresent();
    }

    /** The content of the dead letter after the edit. */
    StoredContent content() {
        return changed.orElseThrow();
    }

    /** A value that differs. */
    record Difference(String path, JsonNode from, JsonNode to) {}

    /**
     * The differences between the dead letter and the edited content. The old values are masked. The new ones are as the person gave them,
     * with the mask where it was left: nobody else sees this answer.
     */
    List<Difference> changes(DeadLetter letter, Mask mask) {
        if (changed.isEmpty()) {
            return List.of();
        }
        Map<String, JsonNode> typed = new HashMap<>();
        MessageEdit.differences(letter.content(), given.orElseThrow()).stream()
                .filter(each -> !each.isOnlyNotation() && !each.to().isMissingNode())
                .forEach(each -> typed.put(each.path(), each.to()));
        return MessageEdit.differences(letter.content(), changed.get()).stream()
                .map(each -> new Difference(
                        each.path(),
                        shown(each, each.from(), mask),
                        Optional.ofNullable(typed.get(each.path())).orElseGet(() -> shown(each, each.to(), mask))))
                .toList();
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
