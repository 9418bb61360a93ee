package dev.caravan.console.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ApiHandlerTest {
    private final Vertx vertx = Vertx.vertx();
    private final Workers workers = new Workers();

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

    private int statusOf(Operation.Handler handler) throws Exception {
        Router router = Router.router(vertx);
        router.route().handler(context -> {
            context.put(Guard.CALLER, Caller.LOCAL);
            context.next();
        });
        router.route()
                .handler(new ApiHandler(
                        List.of(Operation.get("/api/one", Set.of(), handler)), "public", workers, change -> {}));
        int port = vertx.createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .actualPort();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/one"))
                .timeout(Duration.ofSeconds(10))
                .build();
        return HttpClient.newHttpClient()
                .send(request, BodyHandlers.discarding())
                .statusCode();
    }
}
