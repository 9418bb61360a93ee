package dev.caravan.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.caravan.deadletter.DeadLetter;
import dev.caravan.deadletter.DeadLetterSummary;
import dev.caravan.json.Fields;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A dead letter as a line that {@code publish} can read, with what happened to it beside. */
final class ExportLine {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> OF_THE_MESSAGE = List.of("aggregateType", "aggregateId", "type", "messageId");

    private ExportLine() {}

    static String of(DeadLetter letter) {
        DeadLetterSummary summary = letter.summary();
        Map<String, Object> failure = Fields.of(summary);
        Map<String, Object> line = new LinkedHashMap<>();
        OF_THE_MESSAGE.forEach(field -> line.put(field, failure.remove(field)));
        line.put("headers", raw(letter.headers()));
        line.put("payload", raw(letter.payload()));
        failure.put("createdAt", letter.createdAt().toString());
        failure.put("errorStack", letter.stack());
        line.put("deadLetter", failure);
        try {
            return JSON.writeValueAsString(line);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** As written, on one line: outside of strings a line end is only space, and inside JSON has none. */
    private static RawValue raw(Optional<String> json) {
        return json.map(text -> new RawValue(text.replace('\n', ' ').replace('\r', ' ')))
                .orElse(null);
    }
}
