package dev.caravan.routes.destination;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The answer of a destination.
 *
 * @param status the status of HTTP, or the reply code of SMTP; for other destinations, 400 and above is a failure. 0 if there is none
 * @param detail other data of the answer, such as the partition and offset of a record
 */
public record Answer(Kind kind, int status, Map<String, String> headers, String body, String detail) {
    /** How a destination answers. */
    public enum Kind {
        ANSWERED,
        /** It accepts a connection and does not answer in time. */
        TIMEOUT,
        /** It refuses the connection. */
        REFUSED,
        /** It closes the connection without an answer: it may have accepted the message or not. */
        CUT
    }

    public static final Answer OK = status(200);

    public static Answer status(int status) {
        return new Answer(Kind.ANSWERED, status, Map.of(), "", "");
    }

    public static Answer of(Kind kind) {
        return new Answer(kind, 0, Map.of(), "", "");
    }

    /** No answer in time. */
    public static Answer timeout() {
        return of(Kind.TIMEOUT);
    }

    /** A connection that is refused. */
    public static Answer refused() {
        return of(Kind.REFUSED);
    }

    /** A connection that is closed without an answer: the destination may have accepted the message or not. */
    public static Answer cut() {
        return of(Kind.CUT);
    }

    /** @throws IllegalArgumentException for another text than a status from 200 to 599, timeout, refused or cut */
    public static Answer parse(String text) {
        return switch (text) {
            case "timeout" -> of(Kind.TIMEOUT);
            case "refused" -> of(Kind.REFUSED);
            case "cut" -> of(Kind.CUT);
            default -> {
                if (!text.matches("[2-5][0-9][0-9]")) {
                    throw new IllegalArgumentException(
                            "must be a status from 200 to 599, timeout, refused or cut, got " + text);
                }
                yield status(Integer.parseInt(text));
            }
        };
    }

    /** Adds the header {@code Retry-After}, in whole seconds. */
    public Answer withRetryAfter(Duration wait) {
        return withHeader("Retry-After", Long.toString(wait.toSeconds()));
    }

    public Answer withHeader(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Answer(kind, status, more, body, detail);
    }

    public Answer withBody(String newBody) {
        return new Answer(kind, status, headers, newBody, detail);
    }

    public Answer withDetail(String newDetail) {
        return new Answer(kind, status, headers, body, newDetail);
    }

    public boolean isFailure() {
        return kind != Kind.ANSWERED || status >= 400;
    }

    /** The exception that the socket of a client throws. */
    public IOException failure() {
        return switch (kind) {
            case TIMEOUT -> new SocketTimeoutException("Read timed out");
            case REFUSED -> new ConnectException("Connection refused");
            case CUT -> new SocketException("Connection reset");
            case ANSWERED -> new IOException("The destination answered " + status);
        };
    }

    @Override
    public String toString() {
        return kind == Kind.ANSWERED ? Integer.toString(status) : kind.name().toLowerCase(Locale.ROOT);
    }
}
