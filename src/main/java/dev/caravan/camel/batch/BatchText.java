package dev.caravan.camel.batch;

import dev.caravan.camel.MessageBatch;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.camel.Message;

/** Converts the messages of a batch to text and maps. */
public final class BatchText {
    private BatchText() {}

    public static String jsonArray(MessageBatch batch) {
        return batch.stream().map(BatchText::json).collect(Collectors.joining(",", "[", "]"));
    }

    public static String jsonLines(MessageBatch batch) {
        return batch.stream().map(message -> jsonLine(message) + "\n").collect(Collectors.joining());
    }

    /** In JSON a raw line break is white space, because inside of a string it is escaped. */
    public static String jsonLine(Message message) {
        return json(message).replace('\n', ' ').replace('\r', ' ');
    }

    public static String lines(MessageBatch batch) {
        return batch.stream().map(message -> text(message) + "\n").collect(Collectors.joining());
    }

    private static String json(Message message) {
        if (message.getBody() instanceof byte[]) {
            throw new IllegalArgumentException(
                    "A message is binary, but the batch is to be converted to JSON. Convert the bodies first,"
                            + " or limit the subscription to other types");
        }
        return message.getBody() == null ? "null" : text(message);
    }

    /** A message that no split has used belongs to no exchange, so it cannot convert its body itself. */
    private static String text(Message message) {
        Object body = message.getBody();
        return body instanceof String text ? text : ((BatchMessage) message).converted(body);
    }

    /** A header of the row that is spelled {@code aggregate_id} does not replace the aggregate id. */
    public static Map<String, Object> row(Message message) {
        Map<String, Object> row = new HashMap<>();
        message.getHeaders().forEach((name, value) -> {
            String column = name.replace('-', '_');
            if (column.equals(name)) {
                row.putIfAbsent(column, value);
            } else {
                row.put(column, value);
            }
        });
        row.put("body", message.getBody());
        return row;
    }
}
