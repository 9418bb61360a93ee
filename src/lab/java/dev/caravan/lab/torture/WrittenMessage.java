package dev.caravan.lab.torture;

/** A message that was committed, as the outbox has it. */
record WrittenMessage(long id, String messageId, String key, String type, long sequence, Kind kind) {
    WrittenMessage as(Kind other) {
        return new WrittenMessage(id, messageId, key, type, sequence, other);
    }
}
