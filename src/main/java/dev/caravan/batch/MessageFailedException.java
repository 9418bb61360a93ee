package dev.caravan.batch;

/** A message of a batch that its destination did not accept. */
final class MessageFailedException extends Exception {
    private static final long serialVersionUID = 1;

    MessageFailedException(String reason) {
        super(reason, null, false, false);
    }
}
