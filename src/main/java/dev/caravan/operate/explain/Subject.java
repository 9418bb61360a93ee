package dev.caravan.operate.explain;

import dev.caravan.base.message.Key;
import dev.caravan.base.text.UuidText;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/** What is searched: exactly one of an id of the outbox, a message id and a key. */
public record Subject(OptionalLong id, Optional<UUID> messageId, Optional<Key> key) {
    private static final String ID = "\\d{1,18}";

    /** Parses {@code 812}, a UUID or {@code TYPE/ID}; empty for anything else. */
    public static Optional<Subject> parse(String text) {
        if (text.matches(ID)) {
            return Optional.of(new Subject(OptionalLong.of(Long.parseLong(text)), Optional.empty(), Optional.empty()));
        }
        if (UuidText.isUuid(text)) {
            return Optional.of(new Subject(OptionalLong.empty(), Optional.of(UUID.fromString(text)), Optional.empty()));
        }
        return Key.parse(text).map(key -> new Subject(OptionalLong.empty(), Optional.empty(), Optional.of(key)));
    }

    /** {@code message 812}. */
    @Override
    public String toString() {
        return id.isPresent()
                ? "message " + id.getAsLong()
                : messageId.map(uuid -> "message id " + uuid).orElseGet(() -> "key " + key.orElseThrow());
    }
}
