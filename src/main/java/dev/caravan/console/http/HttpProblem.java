package dev.caravan.console.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** An error response. The detail says what failed, why, and what to do. It contains no content of messages. */
public final class HttpProblem extends RuntimeException {
    private static final Map<Integer, String> TITLES = Map.ofEntries(
            Map.entry(400, "Bad request"),
            Map.entry(401, "Token required"),
            Map.entry(403, "Forbidden"),
            Map.entry(404, "Not found"),
            Map.entry(405, "Method not allowed"),
            Map.entry(408, "Request timeout"),
            Map.entry(409, "Conflict with the current state"),
            Map.entry(413, "Request too large"),
            Map.entry(415, "Content type is not JSON"),
            Map.entry(429, "Too many requests"),
            Map.entry(500, "Internal error"),
            Map.entry(503, "Temporarily unavailable"));

    private final int status;
    private final String detail;
    private final OptionalInt retryAfterSeconds;
    private final Optional<String> signIn;

    private HttpProblem(int status, String detail, OptionalInt retryAfterSeconds, Optional<String> signIn) {
        super(detail, null, false, false); // sent to the client, so no stack trace is needed
        this.status = status;
        this.detail = detail;
        this.retryAfterSeconds = retryAfterSeconds;
        this.signIn = signIn;
    }

    public HttpProblem(int status, String detail) {
        this(status, detail, OptionalInt.empty(), Optional.empty());
    }

    public static HttpProblem wrong(String detail) {
        return new HttpProblem(400, detail);
    }

    public static HttpProblem missing(String detail) {
        return new HttpProblem(404, detail);
    }

    public static HttpProblem conflict(String detail) {
        return new HttpProblem(409, detail);
    }

    public static HttpProblem later(int status, String detail, int seconds) {
        return new HttpProblem(status, detail, OptionalInt.of(seconds), Optional.empty());
    }

    /** @param signIn the page where a person can sign in, if there is one */
    static HttpProblem unknownCaller(String detail, Optional<String> signIn) {
        return new HttpProblem(401, detail, OptionalInt.empty(), signIn);
    }

    /** All status codes of problems, ascending. */
    public static List<Integer> statuses() {
        return TITLES.keySet().stream().sorted().toList();
    }

    int status() {
        return status;
    }

    OptionalInt retryAfterSeconds() {
        return retryAfterSeconds;
    }

    /** The body of the response. */
    record Content(
            String type,
            String title,
            int status,
            String detail,
            String instance,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) Optional<String> signIn) {}

    /** @param path the path of the request, without the query */
    Content content(String path) {
        return new Content("about:blank", TITLES.get(status), status, detail, path, signIn);
    }
}
