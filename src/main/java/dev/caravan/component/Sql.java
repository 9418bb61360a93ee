package dev.caravan.component;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The statements of the component, one file each in {@code /sql}. */
enum Sql {
    READ,
    WRITERS,
    CLAIM,
    ACKNOWLEDGE,
    LIMIT_SAVE,
    RENEW,
    SAVE_OUTCOME,
    RELEASE,
    SUBSCRIBE,
    SUBSCRIBE_LATEST,
    SUBSCRIBE_SINCE,
    APPEND,
    SURVEY,
    RETRY_LOWEST,
    RETRY_DUE,
    RETRY_FOLLOWERS,
    RETRY_STORE,
    RETRY_BLOCK,
    RETRY_REMOVE,
    DEAD_LETTER_STORE;

    private final String text;

    Sql() {
        String file = "/sql/" + name().toLowerCase(java.util.Locale.ROOT) + ".sql";
        try (var stream = Sql.class.getResourceAsStream(file)) {
            text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String text() {
        return text;
    }
}
