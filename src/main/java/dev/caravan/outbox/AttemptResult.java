package dev.caravan.outbox;

import dev.caravan.clock.Clock;
import dev.caravan.delivery.ErrorText;
import dev.caravan.delivery.Failure;
import dev.caravan.delivery.LastText;
import dev.caravan.delivery.Result;
import dev.caravan.route.Fault;
import dev.caravan.text.Causes;
import dev.caravan.text.Reason;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.camel.http.base.HttpOperationFailedException;
import org.apache.camel.util.URISupport;

/** What an attempt that has passed the route says about its message. */
final class AttemptResult {
    /** A destination that asks for more is asked again after this. */
    private static final Duration LONGEST_WAIT = Duration.ofHours(1);
    /** A date or a number beyond this is a mistake of the destination. */
    private static final Duration LONGEST_WAIT_TO_BELIEVE = Duration.ofDays(366);

    private static final LastText TEXTS = new LastText(ErrorText::masked);
    private static final LastText STACKS = new LastText(ErrorText::masked);
    private static final LastText STEPS = new LastText(AttemptResult::withoutOptions);

    private AttemptResult() {}

    /**
     * @param fault why it was not delivered; null if it was
     * @param payload of the message, which no text of the result quotes; may be null
     * @param stackIsKept whether the stack trace is needed unless the message is poison: to print and mask it takes longer than all else
     */
    static Result of(Fault fault, String payload, boolean stackIsKept) {
        if (fault == null) {
            return Result.DELIVERED;
        }
        return switch (fault.outcome()) {
            case DELIVERED -> Result.DELIVERED;
            case RETRY -> Result.retry(failure(fault, payload, stackIsKept));
            case DEAD -> Result.dead(failure(fault, payload, true));
            case UNAVAILABLE -> Result.unavailable(failure(fault, payload, stackIsKept), retryAfter(fault.error()));
        };
    }

    /** Of an attempt whose end cannot be told: it counts as a failure, so that the message is tried again. */
    static Result unknown(Throwable error) {
        String name = error.getClass().getName();
        return Result.retry(new Failure(name, "The result of the attempt could not be told: " + name, "", "", name));
    }

    private static Failure failure(Fault fault, String payload, boolean stackIsKept) {
        Throwable error = fault.error();
        if (error == null) {
            return new Failure(
                    "",
                    "The route marked the message for rollback or as dead without an error",
                    "",
                    step(fault.step()),
                    Reason.of(null));
        }
        Throwable root = Causes.root(error);
        List<String> contents = contents(payload, fault.sent());
        return new Failure(
                root.getClass().getName(),
                TEXTS.of(ErrorText.without(contents, root.getMessage())),
                stackIsKept ? STACKS.of(ErrorText.without(contents, stack(error))) : "",
                step(fault.step()),
                Reason.of(error));
    }

    private static String stack(Throwable error) {
        StringWriter stack = new StringWriter();
        error.printStackTrace(new PrintWriter(stack));
        return stack.toString();
    }

    /** What was sent may be another text than the payload. */
    private static List<String> contents(String payload, Object sent) {
        return Stream.of(payload, sent)
                .filter(String.class::isInstance)
                .map(String.class::cast)
                .distinct()
                .toList();
    }

    /**
     * Without its options, and without what a computed address holds of a message: what is stored is shown to people. The options go
     * first, because to look for secrets in them takes longer than all else.
     */
    private static String step(String uri) {
        return uri == null ? "" : STEPS.of(uri);
    }

    private static String withoutOptions(String uri) {
        int options = uri.indexOf('?');
        return ErrorText.masked(URISupport.sanitizeUri(options < 0 ? uri : uri.substring(0, options)));
    }

    /** The header Retry-After of HTTP: seconds, or a date (RFC 9110, 10.2.3). Zero if absent or not understood. */
    private static Duration retryAfter(Throwable error) {
        return Causes.first(HttpOperationFailedException.class, error)
                .map(HttpOperationFailedException::getResponseHeaders)
                .flatMap(AttemptResult::retryAfter)
                .orElse(Duration.ZERO);
    }

    private static Optional<Duration> retryAfter(Map<String, String> headers) {
        return headers.entrySet().stream()
                .filter(header -> "Retry-After".equalsIgnoreCase(header.getKey()) && header.getValue() != null)
                .map(header -> wait(header.getValue().strip()))
                .filter(wait -> !wait.isNegative() && wait.compareTo(LONGEST_WAIT_TO_BELIEVE) <= 0)
                .map(wait -> wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT)
                .findFirst();
    }

    private static Duration wait(String text) {
        try {
            return text.matches("[0-9]{1,9}")
                    ? Duration.ofSeconds(Long.parseLong(text))
                    : Duration.between(
                            Clock.SYSTEM.now(),
                            ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                                    .toInstant());
        } catch (DateTimeException e) {
            return Duration.ZERO; // cannot be parsed, ignored
        }
    }
}
