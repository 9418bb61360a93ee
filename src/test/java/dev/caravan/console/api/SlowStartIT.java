package dev.caravan.console.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlowStartIT {
    @Test
    void a_relay_whose_routes_are_still_starting_answers_already(@TempDir Path routes) throws Exception {
        Files.writeString(routes.resolve("slow.camel.yaml"), """
                - route:
                    id: slow
                    from:
                      uri: outbox:slow
                      steps:
                        - process:
                            ref: "#class:dev.caravan.console.api.SlowStart"
                """);

        try (HttpRelay relay = HttpRelay.start(Map.of("caravan.routes", routes.toString()))) {
            assertThat(SlowStart.ANSWERS).containsExactly(200, 200, 200, 404);
            relay.get("/api/me").assertStatus(200);
        }
    }

    /** Camel listens before, and its services would answer anybody. */
    @Test
    void nothing_is_answered_before_requests_are_checked() throws Exception {
        try (HttpRelay relay = HttpRelay.start(Map.of(
                "camel.beans.early",
                "#class:dev.caravan.console.api.EarlyRequest",
                "caravan.management.token",
                HttpRelay.TOKEN,
                "camel.management.downloadEnabled",
                "true"))) {
            assertThat(EarlyRequest.ANSWERS).containsOnly(503);
            relay.get("/q/download").assertStatus(401);
        }
    }
}
