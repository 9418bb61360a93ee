package dev.caravan.adopt.intake;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.StoredJson;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.Optional;
import java.util.UUID;
import org.apache.camel.util.function.ThrowingRunnable;

/** A row on its way to a message: the parts that were found, null for those that it does not have, and the first fault. */
final class RowDraft {
    static final int MOST_HEADER_BYTES = 1 << 20;

    /** A longer text is too long for a key, whatever its characters. */
    static final int MOST_KEY_READ = 8_192;

    private static final int MOST_ERROR = 2_000;

    String aggregateType;
    String aggregateId;
    String type;
    String headers;
    String payload;
    byte[] payloadBytes;
    /** Whether the payload is known to be JSON. */
    boolean isJson;

    boolean payloadLeftOut;
    boolean headersLeftOut;
    private Fault fault;

    /** Why a row is no message. */
    static final class Fault extends Exception {
        private static final long serialVersionUID = 1L;
        private final String kind;

        Fault(String kind, String text) {
            super(text, null, false, false);
            this.kind = kind;
        }
    }

    /** Runs a step, which finds or checks a part. If it fails, the row is rejected, and the steps after it find what its dead letter shows. */
    void attempt(ThrowingRunnable<Fault> step) {
        try {
            step.run();
        } catch (Fault e) {
            reject(e);
        }
    }

    /** Rejects the row with its first fault. */
    void reject(Fault found) {
        fault = fault == null ? found : fault;
    }

    long payloadSize() {
        return payload != null ? Texts.bytes(payload) : payloadBytes == null ? 0 : payloadBytes.length;
    }

    /** The row after the last step. */
    SourceRow row(RowKey key, UUID messageId) {
        return fault == null
                ? new SourceRow.Valid(
                        key,
                        messageId,
                        aggregateType,
                        aggregateId,
                        type,
                        Optional.ofNullable(headers),
                        Optional.ofNullable(payload),
                        Optional.ofNullable(payloadBytes))
                : rejected(key, messageId, fault.kind, Formatted.line(fault.getMessage(), MOST_ERROR));
    }

    /** A row that would be a message, but that the database of the outbox refuses. */
    static SourceRow.Rejected refused(SourceRow.Valid row, String errorClass, String error) {
        RowDraft draft = new RowDraft();
        draft.aggregateType = row.aggregateType();
        draft.aggregateId = row.aggregateId();
        draft.type = row.type();
        draft.headers = row.headers().orElse(null);
        draft.payload = row.payload().orElse(null);
        draft.payloadBytes = row.payloadBytes().orElse(null);
        return draft.rejected(row.key(), row.messageId(), errorClass, error);
    }

    private SourceRow.Rejected rejected(RowKey key, UUID messageId, String errorClass, String error) {
        return new SourceRow.Rejected(key, messageId, json(key, messageId), errorClass, error);
    }

    /** What {@link SourceRow.Rejected#row} describes. */
    private String json(RowKey key, UUID messageId) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = StoredJson.factory().createGenerator(text)) {
            json.writeStartObject();
            json.writeFieldName("key");
            json.writeRawValue(key.json());
            json.writeStringField("messageId", messageId.toString());
            json.writeStringField("aggregateType", stored(aggregateType));
            json.writeStringField("aggregateId", stored(aggregateId));
            json.writeStringField("type", stored(type));
            if (headersLeftOut || headers != null && headers.length() > MOST_HEADER_BYTES) {
                json.writeBooleanField("headersLeftOut", true);
            } else if (headers != null) {
                json.writeFieldName("headers");
                json.writeRawValue(headers);
            }
            if (payload != null && RowReader.invalid(payload).isEmpty()) {
                json.writeFieldName("payload");
                json.writeRawValue(Texts.storable(payload));
            } else if (payload != null) {
                json.writeStringField("payloadText", Texts.storable(payload));
            } else if (payloadBytes != null) {
                json.writeStringField("payloadBytes", Base64.getEncoder().encodeToString(payloadBytes));
            } else if (payloadLeftOut) {
                json.writeBooleanField("payloadLeftOut", true);
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // nothing is written outside the memory
        }
        return text.toString();
    }

    private static String stored(String text) {
        return text == null ? null : Texts.storable(Texts.bounded(text, MOST_KEY_READ));
    }
}
