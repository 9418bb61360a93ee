package dev.caravan.adopt.intake;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.caravan.base.text.StoredJson;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Base64;

/** The JSON of a row in its dead letter, as {@link SourceRow.Rejected#row} has it, of a row that only Postgres refuses. */
final class StoredRow {
    private StoredRow() {}

    static String json(SourceRow.Valid row) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = StoredJson.factory().createGenerator(text)) {
            json.writeStartObject();
            json.writeFieldName("key");
            json.writeRawValue(row.key().json());
            json.writeStringField("messageId", row.messageId().toString());
            json.writeStringField("aggregateType", row.aggregateType());
            json.writeStringField("aggregateId", row.aggregateId());
            json.writeStringField("type", row.type());
            if (row.headers().isPresent()) {
                json.writeFieldName("headers");
                json.writeRawValue(row.headers().get());
            }
            if (row.payload().isPresent()) {
                json.writeFieldName("payload");
                json.writeRawValue(row.payload().get());
            }
            if (row.payloadBytes().isPresent()) {
                json.writeStringField(
                        "payloadBytes",
                        Base64.getEncoder().encodeToString(row.payloadBytes().get()));
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // nothing is written outside the memory
        }
        return text.toString();
    }
}
