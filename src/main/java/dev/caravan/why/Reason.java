package dev.caravan.why;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One reason why a message is not delivered.
 *
 * @param text a sentence without content of a message
 * @param since since when, if known
 * @param next what to run next: a command or an SQL statement
 */
public record Reason(Cause cause, String text, Optional<Instant> since, Optional<String> next) {
    static Reason of(Cause cause, String text) {
        return new Reason(cause, text, Optional.empty(), Optional.empty());
    }

    Reason since(Instant time) {
        return new Reason(cause, text, Optional.ofNullable(time), next);
    }

    Reason next(String command) {
        return new Reason(cause, text, since, Optional.of(command));
    }

    public Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("cause", cause.toString());
        fields.put("text", text);
        fields.put("since", since.map(Instant::toString).orElse(null));
        fields.put("next", next.orElse(null));
        return fields;
    }
}
