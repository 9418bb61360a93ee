package dev.caravan.adopt.intake;

import java.util.Optional;
import java.util.UUID;

/** A row that was read from the source. */
sealed interface SourceRow {
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
     * @param row the row as a JSON object, without what is too large
     * @param errorClass a short name of the kind of fault, as other dead letters have the class of their exception
     * @param error what is wrong, with the names of the columns and without values that may be secret; at most 2,000 characters
     */
    record Rejected(RowKey key, UUID messageId, String row, String errorClass, String error) implements SourceRow {}
}
