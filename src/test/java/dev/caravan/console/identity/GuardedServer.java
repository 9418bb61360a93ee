package dev.caravan.console.identity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.base.clock.Clock;
import dev.caravan.base.settings.Settings;
import dev.caravan.console.http.ApiHandler;
import dev.caravan.console.http.Authentication;
import dev.caravan.console.http.Caller;
import dev.caravan.console.http.Guard;
import dev.caravan.console.http.HttpFailures;
import dev.caravan.console.http.ManagementSettings;
import dev.caravan.console.http.TimedConnections;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** A server with the connections and the guard of a relay in front of one page, which answers who the caller is. No relay and no database. */
final class GuardedServer {
    static final String TOKEN = "token-of-this-test";
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The status, and the fields of the answer or of the problem. */
    record Answered(int status, JsonNode json) {
        String detail() {
            return json.path("detail").asText();
        }
    }

    /** The ended sessions in memory instead of a database, for several servers. */
    static final class Ended implements EndedSessions.Store {
        private final Set<UUID> sessions = ConcurrentHashMap.newKeySet();
        volatile boolean unavailable;

        @Override
        public Set<UUID> all() throws SQLException {
            requireAvailable();
            return Set.copyOf(sessions);
        }

        @Override
        public boolean add(UUID session, Instant end) throws SQLException {
            requireAvailable();
            return sessions.add(session);
        }

        private void requireAvailable() throws SQLException {
            if (unavailable) {
                throw new SQLException("the connection was refused", "08001");
            }
        }
    }

    private final HttpServer server;
    private final HttpClient client = HttpClient.newHttpClient();

    GuardedServer(TimedConnections vertx, Map<String, String> settings) {
        this(vertx, 0, settings, Clock.SYSTEM, new Ended());
    }

    GuardedServer(TimedConnections vertx, int port, Map<String, String> given, Clock clock, Ended ended) {
        Settings settings = Settings.load(Path.of("none.properties"), given);
        Authentication people = PeopleSettings.read(settings, clock).apply(ended);
        Router router = Router.router(vertx);
        router.route()
                .failureHandler(context ->
                        ApiHandler.refuse(context, HttpFailures.problem(context.failure(), "a request of the test")))
                .handler(new Guard(ManagementSettings.from(settings), people));
        router.route("/auth/*").handler(people::page);
        router.route("/me").handler(context -> {
            Caller caller = context.get("caller");
            context.end(new JsonObject()
                    .put("name", caller.name().orElse(null))
                    .put("role", caller.in("public").toString())
                    .put("via", caller.via().text())
                    .encode());
        });
        router.route("/console/worker")
                .handler(context -> vertx.executeBlocking(() -> "done").onSuccess(context::end));
        server = vertx.createHttpServer(new HttpServerOptions())
                .requestHandler(router)
                .listen(port, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    String address() {
        return "http://127.0.0.1:" + server.actualPort();
    }

    Answered me(String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address() + "/me"));
        if (headers.length > 0) {
            request.headers(headers);
        }
        HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        return new Answered(response.statusCode(), JSON.readTree(response.body()));
    }
}
