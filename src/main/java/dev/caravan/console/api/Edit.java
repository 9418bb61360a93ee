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

/** A new payload or new headers for a dead letter. A value that is equal to the old one is not changed, not even in its notation. */
final class Edit {
    static final Edit NONE = new Edit(Optional.empty());

    /** Empty when nothing was given. */
    private final Optional<StoredContent> changed;

    private Edit(Optional<StoredContent> changed) {
        this.changed = changed;
    }

    /** @throws HttpProblem when the edit cannot be used, or changes nothing */
    static Edit of(Body given, DeadLetter letter, Mask mask) {
        given.requireKnown(Set.of("payload", "payloadBase64", "headers"));
        StoredContent original = letter.content();
        try {
            ObjectNode changed = JsonNodeFactory.instance.objectNode();
            put(changed, "payload", given, original.payload(), mask);
            put(changed, "headers", given, original.headers(), mask);
            putBytes(changed, given, original.bytes());
            if (changed.isEmpty()) {
                throw HttpProblem.conflict("The edit does not change " + letter
                        + ". Nothing was changed. To retry it unchanged, leave out edit.");
            }
            MessageEdit edit = MessageEdit.read(StoredJson.text(changed).getBytes(StandardCharsets.UTF_8));
            return new Edit(Optional.of(edit.of(original)));
        } catch (BadLine bad) {
            throw HttpProblem.wrong(
                    "Could not use the edit: " + Sentence.of(bad.getMessage()) + " Nothing was changed.");
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

    private static void putBytes(ObjectNode changed, Body given, Optional<byte[]> original) {
        Optional<JsonNode> value = given.any("payloadBase64");
        String before = original.map(Base64.getEncoder()::encodeToString).orElse(null);
        if (value.isPresent() && !Objects.equals(value.get().textValue(), before)) {
            changed.set("payloadBase64", value.get());
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

    /** The differences between the dead letter and the edited content, masked. */
    List<Difference> changes(DeadLetter letter, Mask mask) {
        return changed.map(after -> MessageEdit.differences(letter.content(), after)).orElse(List.of()).stream()
                .map(each -> new Difference(each.path(), shown(each, each.from(), mask), shown(each, each.to(), mask)))
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
