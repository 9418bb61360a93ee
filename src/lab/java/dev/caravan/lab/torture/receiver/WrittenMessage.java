package dev.caravan.lab.torture.receiver;

/** A committed message, as stored in the outbox. */
public record WrittenMessage(long id, String messageId, String key, String type, long sequence, Kind kind) {
    WrittenMessage as(Kind other) {
        return new WrittenMessage(id, messageId, key, type, sequence, other);
    }
}
