package dev.caravan.operate.subscription;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** A relay has halted a subscription until a person resumes it after an id. */
public record Halt(Instant since, String reason) {
    /** The JSON fields. */
    Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("since", since.toString());
        fields.put("reason", reason);
        return fields;
    }
}
