package dev.caravan.http;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** Why a request is not answered as asked; the detail says what, why and what to do, without anything of a message. */
public final class HttpProblem extends RuntimeException {
    private static final Map<Integer, String> TITLES = Map.ofEntries(
            Map.entry(400, "The request is wrong"),
            Map.entry(401, "A token is needed"),
            Map.entry(403, "This is not allowed"),
            Map.entry(404, "There is no such thing"),
            Map.entry(405, "Another method is needed"),
            Map.entry(408, "The request took too long"),
            Map.entry(409, "The state does not allow it"),
            Map.entry(413, "The request is too large"),
            Map.entry(415, "The content is not JSON"),
            Map.entry(429, "Too many requests"),
            Map.entry(500, "Failed for an unforeseen reason"),
            Map.entry(503, "Not possible now"));

    private final int status;
    private final String detail;
    private final OptionalInt retryAfterSeconds;

    private HttpProblem(int status, String detail, OptionalInt retryAfterSeconds) {
        super(detail, null, false, false); // told to who asked: no stack trace
        this.status = status;
        this.detail = detail;
        this.retryAfterSeconds = retryAfterSeconds;
    }

    public HttpProblem(int status, String detail) {
        this(status, detail, OptionalInt.empty());
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
        return new HttpProblem(status, detail, OptionalInt.of(seconds));
    }

    /** All that there are, in order. */
    public static List<Integer> statuses() {
        return TITLES.keySet().stream().sorted().toList();
    }

    int status() {
        return status;
    }

    OptionalInt retryAfterSeconds() {
        return retryAfterSeconds;
    }

    /** @param path of the request, without its query */
    Map<String, Object> fields(String path) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("type", "about:blank");
        fields.put("title", TITLES.get(status));
        fields.put("status", status);
        fields.put("detail", detail);
        fields.put("instance", path);
        return fields;
    }
}
