package dev.caravan.test;

import dev.caravan.engine.schedule.Failure;
import dev.caravan.routes.destination.HttpSent;
import dev.caravan.routes.destination.KafkaSent;
import dev.caravan.routes.destination.MailSent;
import dev.caravan.routes.destination.Sent;
import dev.caravan.routes.tryout.Recorded;
import dev.caravan.routes.tryout.Secrets;
import dev.caravan.test.RouteMessage.State;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.opentest4j.AssertionFailedError;

/** Describes for people what a route did with a message. Values of secret settings are hidden. */
final class Report {
    private static final int LONGEST_BODY = 2_000;

    private final Secrets secrets;

    Report(Secrets secrets) {
        this.secrets = secrets;
    }

    /** A failed assertion with this text. */
    static AssertionFailedError failure(String text) {
        return new AssertionFailedError(text);
    }

    /** The message and the route, as the subject of a sentence. */
    static String subject(RouteMessage message) {
        var row = message.message();
        return "Message " + row.id() + " (" + row.type() + ", key " + row.key() + ") by route "
                + message.lane().route().id();
    }

    /** The outcome of the message, as the predicate of a sentence. */
    static String predicate(RouteMessage message) {
        return switch (message.state()) {
            case NEW -> "was not attempted";
            case DELIVERED -> "was delivered";
            case FILTERED -> "was delivered, although the route sent nothing: a step filtered it out";
            case REPEAT -> "was skipped by an idempotentConsumer as a repeat";
            case RETRIED ->
                "is retried: " + message.failedAttempts() + " of "
                        + message.lane().policy().maxAttempts() + " attempts have failed";
            case UNAVAILABLE ->
                (message.attempts().isEmpty()
                                ? "waits without an attempt, because the destination of its subscription is unavailable"
                                : "waits, because the destination counts as unavailable, and the attempt does not count")
                        + asked(message);
            case BLOCKED -> "waits behind an earlier message that is retried or dead";
            case DEAD -> "is a dead letter";
        };
    }

    private static String asked(RouteMessage message) {
        return message.retryAfter().isZero()
                ? ""
                : "; it asked to wait " + message.retryAfter().toSeconds() + " s";
    }

    /** The outcome of the message, its reason, and what was sent and answered. */
    String of(RouteMessage message) {
        StringBuilder text = new StringBuilder(subject(message) + " " + predicate(message) + ".");
        if (message.state() != State.DELIVERED) {
            message.failure().ifPresent(failure -> text.append("\n  Reason: ").append(reason(failure)));
        }
        int number = 1;
        for (RouteAttempt attempt : message.attempts()) {
            text.append("\n  Attempt ").append(number++);
            text.append(attempt.messages() > 1 ? ", with a batch of " + attempt.messages() + " messages," : "");
            text.append(sent(attempt.recorded()));
        }
        if (!message.sentByDeadLetterRoute().isEmpty()) {
            text.append("\n  The route dead-letter").append(sent(message.sentByDeadLetterRoute()));
        }
        return text.toString();
    }

    private String reason(Failure failure) {
        String text = failure.errorClass().isEmpty()
                ? failure.errorText()
                : failure.errorClass() + ": " + failure.errorText();
        return secrets.mask(text)
                + (failure.step().isEmpty() ? "" : "\n  Step: " + secrets.mask(failure.step()))
                + (failure.answer().isEmpty() ? "" : "\n  Answer: " + secrets.mask(failure.answer()));
    }

    private String sent(List<Recorded> recorded) {
        return recorded.isEmpty()
                ? " sent nothing"
                : " sent:"
                        + recorded.stream()
                                .map(each -> of(each.sent()) + "\n    -> answered " + each.answer())
                                .collect(Collectors.joining());
    }

    /** What was sent, on indented lines. */
    String of(Sent sent) {
        StringBuilder text =
                new StringBuilder("\n    " + sent.kind() + " ").append(secrets.maskAddress(sent.destination()));
        if (sent instanceof KafkaSent record) {
            text.append(" key ")
                    .append(record.key().map(key -> secrets.mask(key.shown())).orElse("none"));
        }
        sent.headers().forEach(header -> text.append("\n      ")
                .append(header.name())
                .append(": ")
                .append(secrets.maskHeader(header)));
        if (sent instanceof MailSent mail) {
            mail.parts().forEach(part -> text.append("\n      [")
                    .append(part.type())
                    .append("]")
                    .append(body(part.content().shown())));
        } else {
            text.append(body(sent.body().shown()));
        }
        return text.toString();
    }

    private String body(String text) {
        String masked = secrets.mask(text);
        String shown = masked.length() <= LONGEST_BODY ? masked : masked.substring(0, LONGEST_BODY) + " …";
        return shown.isEmpty() ? "" : "\n      " + shown.replace("\n", "\n      ");
    }

    /** One line for each of several things that were sent. */
    String list(List<? extends Sent> sent) {
        return sent.isEmpty()
                ? " nothing"
                : sent.stream()
                        .map(each -> "\n    " + kind(each) + " " + secrets.maskAddress(each.destination()))
                        .collect(Collectors.joining());
    }

    private static String kind(Sent sent) {
        return Optional.of(sent.kind())
                .filter(kind -> !(sent instanceof HttpSent))
                .orElse("http");
    }
}
