package dev.caravan.subscription;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** A relay has stopped a subscription until a person says where it goes on. */
public record Halt(Instant since, String reason) {
    /** As it is printed in JSON. */
    Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("since", since.toString());
        fields.put("reason", reason);
        return fields;
    }
}
