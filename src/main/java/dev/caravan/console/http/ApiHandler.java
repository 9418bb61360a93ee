package dev.caravan.console.http;

import dev.caravan.base.message.Json;
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
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Finds the operation for a request and runs it on a worker thread. Called on the event loop. */
public final class ApiHandler implements Handler<RoutingContext>, AutoCloseable {
    static final String PREFIX = "/api/";

    /** An operation whose template matches the path, with the values in the path by name. */
    private record Match(Operation operation, Map<String, String> pathValues) {}

    private final List<Operation> operations;
    private final String ownOutbox;
    private final Workers workers;
    private final Exports exports = new Exports();
    private final Consumer<String> changed;

    /**
     * @param ownOutbox the outbox of the operations whose path names none
     * @param changed receives the kind of each change that a person has made
     */
    public ApiHandler(List<Operation> operations, String ownOutbox, Workers workers, Consumer<String> changed) {
        this.operations = operations;
        this.ownOutbox = ownOutbox;
        this.workers = workers;
        this.changed = changed;
    }

    /** Refuses what the caller may not request, before a body is read: its memory is for those who may make changes. */
    public void admit(RoutingContext context) {
        admitted(context);
        context.next();
    }

    private Match admitted(RoutingContext context) {
        Match match = match(context);
        context.<Caller>get(Guard.CALLER).require(match.operation().needs(), outbox(match));
        return match;
    }

    private String outbox(Match match) {
        return match.pathValues().getOrDefault(Operation.OUTBOX, ownOutbox);
    }

    @Override
    public void handle(RoutingContext context) {
        Match match = admitted(context);
        Operation operation = match.operation();
        Caller caller = context.get(Guard.CALLER);
        String outbox = outbox(match);
        Map<String, String> query = query(context);
        byte[] body = body(context);
        Context loop = context.vertx().getOrCreateContext();
        workers.submit(caller.rights().highest(), operation.changes(), () -> {
            if (!context.response().closed()) { // the client is still connected
                try {
                    ApiResponse answer = answer(operation, match.pathValues(), query, body, caller, outbox);
                    if (answer.content() instanceof Export export) {
                        loop.runOnContext(v -> export(context, export, operation.toString()));
                    } else {
                        String text = Json.line(answer.content());
                        loop.runOnContext(v -> send(context, answer.status(), "application/json", text));
                    }
                } catch (Exception | Error e) { // otherwise the client would wait
                    HttpProblem problem = HttpFailures.problem(e, operation.toString());
                    loop.runOnContext(v -> refuse(context, problem));
                }
            }
        });
    }

    private void export(RoutingContext context, Export export, String operation) {
        if (!context.response().closed()) {
            try {
                exports.send(context, context.<Caller>get(Guard.CALLER).rights().highest(), export, operation);
            } catch (HttpProblem e) {
                refuse(context, e);
            }
        }
    }

    private ApiResponse answer(
            Operation operation,
            Map<String, String> path,
            Map<String, String> query,
            byte[] content,
            Caller caller,
            String outbox)
            throws Exception {
        Body body = operation.changes() ? Body.read(content) : Body.empty();
        if (operation.changes()) {
            Call.requireKnown(query.keySet(), List.of(), "query parameter");
            body.requireKnown(operation.names());
        } else {
            Call.requireKnown(query.keySet(), operation.names(), "query parameter");
        }
        ApiResponse answer =
                operation.handler().handle(new Call(path, query, body, caller, outbox, operation.changes()));
        if (!operation.change().isEmpty()
                && !body.flag("dryRun")
                && !(answer.content() instanceof ApiResponse.Change change && !change.changed())) {
            changed.accept(body.text("action").orElse(operation.change()));
        }
        return answer;
    }

    private Match match(RoutingContext context) {
        String method = context.request().method().name();
        List<String> segments = segments(context.normalizedPath());
        List<Match> matches = operations.stream()
                .flatMap(operation -> operation.match(segments).map(values -> new Match(operation, values)).stream())
                .toList();
        Optional<Match> match = matches.stream()
                .filter(each -> each.operation().method().equals(method))
                .findFirst(); // templates with fixed segments are listed before those with names
        if (match.isPresent()) {
            return match.get();
        }
        if (matches.isEmpty()) {
            throw HttpProblem.missing("Unknown operation. GET /api/openapi.json lists all operations.");
        }
        String allowed = matches.stream()
                .map(each -> each.operation().method())
                .distinct()
                .collect(Collectors.joining(", "));
        context.response().putHeader("Allow", allowed);
        throw new HttpProblem(405, "Use the method " + allowed + " for this path.");
    }

    /** Decodes each segment separately, so that an encoded slash stays part of its segment. */
    private static List<String> segments(String path) {
        try {
            return Arrays.stream(path.substring(1).split("/", -1))
                    .map(segment -> URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8))
                    .toList();
        } catch (IllegalArgumentException e) {
            throw HttpProblem.wrong("The path contains a % without two hexadecimal digits after it.");
        }
    }

    private static Map<String, String> query(RoutingContext context) {
        Map<String, String> query = new LinkedHashMap<>();
        try {
            context.queryParams().forEach((name, value) -> {
                if (query.put(name, value) != null) {
                    throw HttpProblem.wrong("A query parameter is given twice.");
                }
            });
        } catch (HttpProblem e) {
            throw e;
        } catch (RuntimeException e) {
            throw HttpProblem.wrong("The query contains a % without two hexadecimal digits after it.");
        }
        return query;
    }

    private static byte[] body(RoutingContext context) {
        var buffer = context.body() == null ? null : context.body().buffer();
        return buffer == null ? new byte[0] : buffer.getBytes();
    }

    /** Responds with a problem as {@code application/problem+json}. */
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
                Json.line(problem.content(context.request().path())));
    }

    @Override
    public void close() {
        exports.close();
    }

    private static void send(RoutingContext context, int status, String type, String text) {
        HttpServerResponse response = context.response();
        if (!response.ended() && !response.closed()) {
            response.setStatusCode(status).putHeader("Content-Type", type).end(text);
        }
    }
}
