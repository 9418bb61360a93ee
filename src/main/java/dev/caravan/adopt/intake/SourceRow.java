package dev.caravan.adopt.intake;

import java.util.Optional;
import java.util.UUID;

/** A row that was read from the source. */
public sealed interface SourceRow {
    RowKey key();

    /**
     * A row that becomes a message.
     *
     * @param headers a JSON object; empty if there are none
     * @param payload JSON as it was in the row; at most one of the two payloads is given
     */
    record Valid(
            RowKey key,
            UUID messageId,
            String aggregateType,
            String aggregateId,
            String type,
            Optional<String> headers,
            Optional<String> payload,
            Optional<byte[]> payloadBytes)
            implements SourceRow {}

    /**
     * A row that cannot become a message: it becomes a dead letter of the intake.
     *
     * @param messageId that of the message that it would have been
     * @param row the message that it would have been as a JSON object with the fields key, messageId, aggregateType, aggregateId, type, headers and
     *     payload; instead of payload: payloadText (not JSON), payloadBytes (Base64) or payloadLeftOut: true (too large, or not
     *     readable); instead of headers: headersLeftOut: true. {@link Source#stored} reads it
     * @param errorClass a short name of the kind of fault, as other dead letters have the class of their exception
     * @param error what is wrong, with the names of the columns and without values that may be secret; at most 2,000 characters
     */
    record Rejected(RowKey key, UUID messageId, String row, String errorClass, String error) implements SourceRow {}
}
