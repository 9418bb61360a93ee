package dev.caravan.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.caravan.base.message.Json;
import dev.caravan.base.message.StoredContent;
import dev.caravan.operate.failed.DeadLetter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes a dead letter as a JSON line that {@code publish} can read, with its failure in the field {@code deadLetter}. */
final class ExportLine {
    private static final List<String> MESSAGE_FIELDS = List.of("aggregateType", "aggregateId", "type", "messageId");

    private ExportLine() {}

    static String of(DeadLetter letter) {
        ObjectNode failure = (ObjectNode) Json.tree(letter.summary());
        Map<String, Object> line = new LinkedHashMap<>();
        MESSAGE_FIELDS.forEach(field -> line.put(field, failure.remove(field)));
        if (letter.content().leftOut() > 0) {
            line.put("leftOutBytes", letter.content().leftOut()); // publish refuses this line
        } else {
            content(letter.content(), line);
        }
        failure.put("createdAt", letter.createdAt().toString());
        failure.put("errorStack", letter.stack());
        line.put("deadLetter", failure);
        return Json.line(line);
    }

    private static void content(StoredContent content, Map<String, Object> line) {
        line.put("headers", raw(content.headers()));
        if (content.isBinary()) {
            line.put("payloadBase64", content.bytes().orElseThrow());
        } else if (content.payload().filter(json -> json.strip().equals("null")).isPresent()) {
            line.put("payloadText", "null"); // as payload, null is an empty body
        } else {
            line.put("payload", raw(content.payload()));
        }
    }

    /** The stored text on one line. Line ends in JSON occur only between tokens, so replacing them changes no value. */
    private static RawValue raw(Optional<String> json) {
        return json.map(text -> new RawValue(text.replace('\n', ' ').replace('\r', ' ')))
                .orElse(null);
    }
}
