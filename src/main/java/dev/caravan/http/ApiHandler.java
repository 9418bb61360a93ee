package dev.caravan.http;

import dev.caravan.json.Json;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Finds the operation that a request asks for, and lets a worker answer it. Runs on the event loop. */
public final class ApiHandler implements Handler<RoutingContext> {
    static final String PREFIX = "/api/";

    private record Asked(Operation operation, Map<String, String> path) {}

    private final List<Operation> operations;
    private final Workers workers;

    public ApiHandler(List<Operation> operations, Workers workers) {
        this.operations = operations;
        this.workers = workers;
    }

    @Override
    public void handle(RoutingContext context) {
        Asked asked = asked(context);
        Operation operation = asked.operation();
        Role role = context.get(Guard.ROLE);
        if (operation.changes() && role == Role.READER) {
            throw new HttpProblem(403, "This token may only look. Nothing was changed.");
        }
        Map<String, String> query = query(context);
        byte[] body = body(context);
        Context loop = context.vertx().getOrCreateContext();
        workers.submit(() -> {
            if (!context.response().closed()) { // who has gone needs no answer
                Answer answer;
                try {
                    answer = answer(operation, asked.path(), query, body, role);
                } catch (Exception e) {
                    HttpProblem problem = HttpFailures.problem(e, operation.toString());
                    loop.runOnContext(v -> refuse(context, problem));
                    return;
                }
                String text = Json.line(answer.content());
                loop.runOnContext(v -> send(context, answer.status(), "application/json", text));
            }
        });
    }

    private static Answer answer(
            Operation operation, Map<String, String> path, Map<String, String> query, byte[] content, Role role)
            throws Exception {
        Body body = operation.changes() ? Body.read(content) : Body.empty();
        if (operation.changes()) {
            Call.requireKnown(query.keySet(), List.of(), "query parameter");
            body.requireKnown(operation.names());
        } else {
            Call.requireKnown(query.keySet(), operation.names(), "query parameter");
        }
        return operation.answering().answer(new Call(path, query, body, role));
    }

    private Asked asked(RoutingContext context) {
        String method = context.request().method().name();
        List<String> segments = segments(context.normalizedPath());
        List<Asked> fitting = operations.stream()
                .flatMap(operation -> operation.match(segments).map(values -> new Asked(operation, values)).stream())
                .toList();
        Optional<Asked> asked = fitting.stream()
                .filter(each -> each.operation().method().equals(method))
                .findFirst(); // a name in the template yields to a word: it is listed later
        if (asked.isPresent()) {
            return asked.get();
        }
        if (fitting.isEmpty()) {
            throw HttpProblem.missing("There is no such operation; GET /api/openapi.json lists all.");
        }
        String allowed = fitting.stream()
                .map(each -> each.operation().method())
                .distinct()
                .collect(Collectors.joining(", "));
        context.response().putHeader("Allow", allowed);
        throw new HttpProblem(405, "Use " + allowed + " here.");
    }

    /** Each decoded by itself, so that a slash within a name stays within it. */
    private static List<String> segments(String path) {
        try {
            return Arrays.stream(path.substring(1).split("/", -1))
                    .map(segment -> URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8))
                    .toList();
        } catch (IllegalArgumentException e) {
            throw HttpProblem.wrong("The path holds a % that is followed by no hexadecimal digits");
        }
    }

    private static Map<String, String> query(RoutingContext context) {
        Map<String, String> query = new LinkedHashMap<>();
        try {
            context.queryParams().forEach((name, value) -> {
                if (query.put(name, value) != null) {
                    throw HttpProblem.wrong("A query parameter occurs twice");
                }
            });
        } catch (HttpProblem e) {
            throw e;
        } catch (RuntimeException e) {
            throw HttpProblem.wrong("The query holds a % that is followed by no hexadecimal digits");
        }
        return query;
    }

    private static byte[] body(RoutingContext context) {
        var buffer = context.body() == null ? null : context.body().buffer();
        return buffer == null ? new byte[0] : buffer.getBytes();
    }

    public static void refuse(RoutingContext context, HttpProblem problem) {
        if (problem.status() == 401) {
            context.response().putHeader("WWW-Authenticate", "Bearer");
        }
        problem.retryAfterSeconds()
                .ifPresent(seconds -> context.response().putHeader("Retry-After", Integer.toString(seconds)));
        send(
                context,
                problem.status(),
                "application/problem+json",
                Json.line(problem.fields(context.request().path())));
    }

    private static void send(RoutingContext context, int status, String type, String text) {
        HttpServerResponse response = context.response();
        if (!response.ended() && !response.closed()) {
            response.setStatusCode(status).putHeader("Content-Type", type).end(text);
        }
    }
}
