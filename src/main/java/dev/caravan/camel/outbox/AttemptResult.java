package dev.caravan.camel.outbox;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.caravan.base.clock.Clock;
import dev.caravan.base.message.Message;
import dev.caravan.base.text.Causes;
import dev.caravan.base.text.ErrorText;
import dev.caravan.base.text.LastText;
import dev.caravan.base.text.Reason;
import dev.caravan.camel.FieldException;
import dev.caravan.camel.guard.DestinationAnswer;
import dev.caravan.camel.guard.Fault;
import dev.caravan.camel.headers.RowHeaders;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.engine.schedule.Result;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.InvalidPathException;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.camel.http.base.HttpOperationFailedException;
import org.postgresql.util.PSQLException;

/** Converts the end of an exchange to the result of the attempt. */
final class AttemptResult {
    /** Limit of the wait that a destination requests. */
    private static final Duration LONGEST_WAIT = Duration.ofHours(1);
    /** A longer requested wait is an error of the destination and is ignored. */
    private static final Duration LONGEST_PLAUSIBLE_WAIT = Duration.ofDays(366);

    /** More are not removed from texts, which takes time for each one. */
    private static final int MOST_HEADERS = 200;

    /** Headers that say what form a payload has, which an error may be about. */
    private static final Set<String> FORM = Set.of("content-type", "content-encoding");

    private static final String BINARY = "The payload is binary, but a step of the route expects JSON. ";

    private static final String UNKNOWN_CHARACTERS = ". The locale of Java lacks a character of the name of a file: set"
            + " LC_ALL=C.UTF-8 and start the relay again";

    /** By its name, because an application may not have the library. */
    private static final String JSONPATH = "com.jayway.jsonpath.InvalidJsonException";

    /** What Camel writes instead of a password in an address. */
    private static final String PASSWORD = ":xxxxxx@";

    private static final LastText TEXTS = new LastText(ErrorText::masked);
    private static final LastText ANSWERS = new LastText(ErrorText::masked);
    private static final LastText STACKS = new LastText(ErrorText::masked);
    private static final LastText STEPS = new LastText(AttemptResult::withoutOptions);

    private AttemptResult() {}

    /**
     * @param fault why the message was not delivered; null if it was
     * @param message the message, whose payload and headers are removed from all texts of the result; null for several messages
     * @param secrets those of the settings, which are removed too
     * @param withStack whether the result contains the stack trace also of a failure that does not make the message dead at once:
     *     printing and masking it takes most of the time
     */
    static Result of(Fault fault, Message message, SettingSecrets secrets, boolean withStack) {
        if (fault == null) {
            return Result.DELIVERED;
        }
        return switch (fault.outcome()) {
            case DELIVERED -> Result.DELIVERED;
            case RETRY -> Result.retry(failure(fault, message, secrets, withStack));
            case DEAD -> Result.dead(failure(fault, message, secrets, true));
            case UNAVAILABLE ->
                Result.unavailable(failure(fault, message, secrets, withStack), retryAfter(fault.error()));
        };
    }

    /** The result of an attempt whose end could not be determined: a failure, so that the message is retried. */
    static Result unknown(Throwable error) {
        String name = error.getClass().getName();
        return Result.retry(new Failure(name, "Could not determine the result of the attempt: " + name, "", "", name));
    }

    private static Failure failure(Fault fault, Message message, SettingSecrets secrets, boolean withStack) {
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
        Object payload = message == null ? null : message.body();
        List<String> contents = contents(payload, fault.sent(), error);
        List<String> headers = headers(message);
        UnaryOperator<String> address = address(error, fault.step());
        UnaryOperator<String> without =
                text -> ErrorText.withoutWhole(headers, ErrorText.without(contents, address.apply(text)));
        return new Failure(
                root.getClass().getName(),
                TEXTS.of(secrets.text(without.apply(text(fault, root, payload)))),
                withStack ? STACKS.of(secrets.stack(without.apply(stack(error)))) : "",
                secrets.step(step(fault.step())),
                Reason.ofStep(error, text -> secrets.text(without.apply(text)), fault.step(), fault.isComputed()),
                ANSWERS.of(secrets.answer(without.apply(DestinationAnswer.of(error)))),
                DestinationAnswer.isIn(error));
    }

    /** Writes the address of a step that has no login into the text of its error. There, Camel takes an at sign of the path for the end of a login. */
    private static UnaryOperator<String> address(Throwable error, String step) {
        String address = step == null ? PASSWORD : ErrorText.sanitized(step);
        return Causes.first(HttpOperationFailedException.class, error)
                .map(HttpOperationFailedException::getUri)
                .filter(uri -> uri.contains(PASSWORD) && !address.contains(PASSWORD))
                .map(uri -> (UnaryOperator<String>) text -> text == null ? null : text.replace(uri, address))
                .orElse(UnaryOperator.identity());
    }

    /** The first values of its headers: of the row, because the role read does not see them. */
    private static List<String> headers(Message message) {
        List<String> values = new ArrayList<>();
        if (message != null && message.headers() != null) {
            try {
                RowHeaders.of(message.headers()).passTo((name, value) -> {
                    if (!FORM.contains(name.toLowerCase(Locale.ROOT))) {
                        values.add(value);
                    }
                });
            } catch (IOException | FieldException e) {
                return List.of(); // too many, so that the message was not sent
            }
        }
        return values.subList(0, Math.min(values.size(), MOST_HEADERS));
    }

    private static String text(Fault fault, Throwable root, Object payload) {
        if (fault.answer() != null) {
            return "The route cannot use the answer of " + step(fault.answer()) + ": " + root.getMessage();
        }
        if (root instanceof InvalidPathException name && name.getReason().contains("unmappable")) {
            return root.getMessage() + UNKNOWN_CHARACTERS;
        }
        boolean jsonExpected = root instanceof JsonProcessingException
                || Causes.of(fault.error())
                        .anyMatch(cause -> cause.getClass().getName().equals(JSONPATH));
        if (root.getMessage() == null) { // of a connection that has ended
            return Causes.first(SQLException.class, fault.error())
                    .map(Throwable::getMessage)
                    .orElse(null);
        }
        return payload instanceof byte[] && jsonExpected ? BINARY + root.getMessage() : root.getMessage();
    }

    private static String stack(Throwable error) {
        StringWriter stack = new StringWriter();
        error.printStackTrace(new PrintWriter(stack));
        return stack.toString();
    }

    /** The payload, what was sent, which may differ from it, credentials of the address, and what an error quotes of rows. */
    private static List<String> contents(Object payload, List<Object> sent, Throwable error) {
        return Stream.of(
                        Stream.concat(Stream.of(payload), sent.stream()).map(ErrorText::content),
                        Causes.first(HttpOperationFailedException.class, error).stream()
                                .flatMap(failure -> ErrorText.credentials(failure.getUri()).stream()),
                        Causes.of(error).flatMap(AttemptResult::rows))
                .flatMap(each -> each)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
    }

    /** The values of rows in an error of Postgres. The pool of a relay does not ask for them, but a data source of a user does. */
    private static Stream<String> rows(Throwable cause) {
        if (cause instanceof BatchUpdateException) {
            return Stream.of(cause.getMessage());
        }
        return cause instanceof PSQLException failure && failure.getServerErrorMessage() != null
                ? Stream.of(
                        failure.getServerErrorMessage().getDetail(),
                        failure.getServerErrorMessage().getWhere())
                : Stream.empty();
    }

    /**
     * The URI without options and without secrets, because it is stored and shown to people. Options are removed first, because
     * masking the secrets in them is slow.
     */
    static String step(String uri) {
        return uri == null ? "" : STEPS.of(uri);
    }

    private static String withoutOptions(String uri) {
        int options = uri.indexOf('?');
        return ErrorText.masked(ErrorText.sanitized(options < 0 ? uri : uri.substring(0, options)));
    }

    /** The HTTP header Retry-After: seconds or a date (RFC 9110, 10.2.3). Zero if it is absent or invalid. */
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
                .filter(wait -> !wait.isNegative() && wait.compareTo(LONGEST_PLAUSIBLE_WAIT) <= 0)
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
