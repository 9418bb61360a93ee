package dev.caravan.adopt.intake;

/** An intake cannot run as its file says; the message has all problems, each with file and line. */
public final class IntakeRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public IntakeRefusal(String message) {
        super(message);
    }
}
