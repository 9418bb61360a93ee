package dev.caravan.camel.batch;

/** A message of a batch that its destination did not accept. */
public final class MessageFailedException extends Exception {
    private static final long serialVersionUID = 1;

    public MessageFailedException(String reason) {
        super(reason, null, false, false);
    }
}
