package dev.caravan.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The routes of the relays under torture: two of their own, and the shipped ones for failures. */
final class Routes {
    static final String KAFKA = "torture-kafka";
    static final String HTTP = "torture-http";
    static final String TOPIC = "torture";
    /** Messages that may be on their way to Kafka at once. */
    static final int WINDOW = 1_000;
    /** Messages that may be on their way to HTTP at once. */
    static final int CONCURRENCY = 16;

    static final int RESPONSE_TIMEOUT_MILLIS = 1_500;

    private static final List<String> SHIPPED = List.of("error-handling.camel.yaml", "dead-letter.camel.yaml");

    private static final String TO_KAFKA = """
            - route:
                id: %1$s
                from:
                  uri: outbox:%1$s
                  parameters:
                    pipelined: true
                    window: %2$d
                    batchSize: 500
                    backoff: 200
                    maxBackoff: 2000
                  steps:
                    - setHeader:
                        name: relay
                        expression:
                          constant:
                            expression: "{{camel.component.outbox.relay}}"
                    - to:
                        uri: kafka:%3$s
                        parameters:
                          requestTimeoutMs: 2000
                          deliveryTimeoutMs: 4000
                          maxBlockMs: 3000
            """.formatted(KAFKA, WINDOW, TOPIC);

    private static final String TO_HTTP = """
            - route:
                id: %1$s
                from:
                  uri: outbox:%1$s
                  parameters:
                    order: key
                    concurrency: %2$d
                    backoff: 200
                    maxBackoff: 2000
                  steps:
                    - setHeader:
                        name: relay
                        expression:
                          constant:
                            expression: "{{camel.component.outbox.relay}}"
                    - to:
                        uri: http://localhost:%3$d/messages
                        parameters:
                          httpMethod: POST
                          connectTimeout: 1000
                          responseTimeout: %4$d
            """;

    private Routes() {}

    /**
     * @param folder where to write them
     * @param shipped the folder of the shipped routes
     * @param httpPort the port of the HTTP destination
     */
    static void write(Path folder, Path shipped, int httpPort) throws IOException {
        Files.writeString(folder.resolve("kafka.camel.yaml"), TO_KAFKA);
        Files.writeString(
                folder.resolve("http.camel.yaml"),
                TO_HTTP.formatted(HTTP, CONCURRENCY, httpPort, RESPONSE_TIMEOUT_MILLIS));
        for (String file : SHIPPED) {
            Files.copy(shipped.resolve(file), folder.resolve(file));
        }
    }
}
