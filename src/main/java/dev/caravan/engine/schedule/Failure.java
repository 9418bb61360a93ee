package dev.caravan.engine.schedule;

/**
 * Why an attempt failed, as stored with the message. Longer texts are cut.
 *
 * @param errorClass class of the error
 * @param errorText text of the error, at most 2,000 characters
 * @param stack stack trace of the error, at most 8,000 characters
 * @param step the endpoint of the route that failed, without its options; empty if unknown
 * @param reason the cause on one line, without content of the message, at most 2,000 characters
 * @param answer what the destination answered, at most 2,000 characters; empty if it gave no answer, or no text
 * @param isAnswered whether the destination answered that it has not accepted the message; otherwise it may have accepted it
 */
public record Failure(
        String errorClass,
        String errorText,
        String stack,
        String step,
        String reason,
        String answer,
        boolean isAnswered) {
    public Failure {
        errorText = bounded(errorText, 2_000);
        stack = bounded(stack, 8_000);
        reason = bounded(reason, 2_000);
        answer = bounded(answer, 2_000);
    }

    /** A failure without an answer of the destination. */
    public Failure(String errorClass, String errorText, String stack, String step, String reason) {
        this(errorClass, errorText, stack, step, reason, "", false);
    }

    /** The same failure without the answer, which often differs from message to message. */
    public Failure withoutAnswer() {
        return answer.isEmpty() ? this : new Failure(errorClass, errorText, stack, step, reason);
    }

    /** Postgres cannot store a NUL character in a text. */
    private static String bounded(String text, int length) {
        String kept = text == null ? "" : text.replace("\0", "");
        return kept.length() <= length ? kept : kept.substring(0, length);
    }
}
