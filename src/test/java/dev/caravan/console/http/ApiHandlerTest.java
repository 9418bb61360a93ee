package dev.caravan.console.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.operate.audit.Via;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ApiHandlerTest {
    private final Vertx vertx = Vertx.vertx();
    private final Workers workers = new Workers();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @AfterEach
    void close() {
        workers.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    @Test
    void an_error_of_the_jvm_is_answered() throws Exception {
        assertThat(statusOf(call -> {
                    throw new NoClassDefFoundError("dev/caravan/Missing");
                }))
                .isEqualTo(500);
    }

    @Test
    void a_response_that_cannot_be_written_as_json_is_answered() throws Exception {
        assertThat(statusOf(call -> ApiResponse.of(Map.of("value", new Object()))))
                .isEqualTo(500);
    }

    @Test
    void what_one_role_reads_delays_neither_other_roles_nor_changes() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        URI address = serve(List.of(
                Operation.get("/api/search", Set.of(), call -> {
                    end.await();
                    return ApiResponse.changed();
                }),
                Operation.get("/api/overview", Set.of(), call -> ApiResponse.changed()),
                Operation.post("/api/pause", Set.of(), call -> ApiResponse.changed())));
        try {
            assertThat(statusesOf(200, request(address, "search", "READ"))).contains(503);
            assertThat(status(request(address, "overview", "READ"))).isEqualTo(503);
            assertThat(status(request(address, "overview", "ADMIN"))).isEqualTo(200);

            assertThat(statusesOf(200, request(address, "search", "ADMIN"))).contains(503);
            assertThat(status(request(address, "overview", "OPERATE"))).isEqualTo(200);
            assertThat(status(request(address, "pause", "ADMIN").POST(BodyPublishers.ofString("{}"))))
                    .isEqualTo(200);
        } finally {
            end.countDown();
        }
    }

    /** The statuses of those that are answered at once. */
    private Set<Integer> statusesOf(int count, HttpRequest.Builder request) throws Exception {
        Set<Integer> statuses = ConcurrentHashMap.newKeySet();
        List<CompletableFuture<Void>> answers = IntStream.range(0, count)
                .mapToObj(any -> client.sendAsync(request.build(), BodyHandlers.discarding())
                        .thenAccept(answer -> statuses.add(answer.statusCode())))
                .toList();
        CompletableFuture.anyOf(answers.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
        return statuses;
    }

    private int statusOf(Operation.Handler handler) throws Exception {
        return status(request(serve(List.of(Operation.get("/api/one", Set.of(), handler))), "one", "ADMIN"));
    }

    private int status(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), BodyHandlers.discarding()).statusCode();
    }

    private static HttpRequest.Builder request(URI address, String operation, String role) {
        return HttpRequest.newBuilder(address.resolve("/api/" + operation))
                .header("Role", role)
                .timeout(Duration.ofSeconds(30));
    }

    private URI serve(List<Operation> operations) {
        Router router = Router.router(vertx);
        router.route()
                .failureHandler(context -> ApiHandler.refuse(context, (HttpProblem) context.failure()))
                .handler(context -> {
                    Role role = Role.valueOf(context.request().getHeader("Role"));
                    context.put(
                            Guard.CALLER, new Caller(Optional.empty(), Rights.of(role, OutboxNames.ALL), Via.TOKEN));
                    context.next();
                });
        router.route().handler(new ApiHandler(operations, "public", workers, change -> {}));
        int port = vertx.createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .actualPort();
        return URI.create("http://127.0.0.1:" + port);
    }
}
