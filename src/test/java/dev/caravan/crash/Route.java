package dev.caravan.crash;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The route of a test: from the outbox to a topic of Kafka, each record marked with the relay that sent it. */
record Route(boolean pipelined, int window, int lanes, String moreOptions, String moreSteps) {
    /** The name of the subscription. */
    static final String TO_KAFKA = "crash";
    /** The subscription that posts the same messages, with batches only. */
    static final String TO_HTTP = "crash-http";

    private static final String YAML = """
            - route:
                id: send-to-kafka
                from:
                  uri: outbox:crash
                  parameters:
                    pipelined: %b
                    window: %d
                    lanes: %d
            %s      steps:
                    - setHeader:
                        name: kafka.OVERRIDE_TIMESTAMP
                        simple: "${exchange.clock.created}"
                    - setHeader:
                        name: relay
                        expression:
                          constant: "{{camel.component.outbox.relay}}"
                    - to:
                        uri: "kafka:{{crash.topic}}"
                        parameters:
                          maxRequestSize: 2000000
            """;

    private static final String YAML_WITH_BATCHES = """
            - route:
                id: send-to-kafka
                from:
                  uri: outbox:crash
                  parameters:
                    batching: true
                    batchMaxMessages: 100
                    concurrency: 3
                  steps:
                    - split:
                        simple: "${body}"
                        steps:
                          - setHeader:
                              name: kafka.OVERRIDE_TIMESTAMP
                              simple: "${exchange.clock.created}"
                          - setHeader:
                              name: relay
                              expression:
                                constant: "{{camel.component.outbox.relay}}"
                    - to:
                        uri: "kafka:{{crash.topic}}"
                        parameters:
                          maxRequestSize: 2000000
            - route:
                id: post
                from:
                  uri: outbox:crash-http
                  parameters:
                    batching: true
                    batchMaxMessages: 100
                    concurrency: 3
                  steps:
                    - split:
                        simple: "${body}"
                        steps:
                          - setBody:
                              simple: >-
                                {"id":"${header.id}","key":"${header.aggregate-id}",
                                "data":${body},"relay":"{{camel.component.outbox.relay}}"}
                    - setBody:
                        simple: "${body.ndjson}"
                    - to:
                        uri: "{{crash.url}}"
                        parameters:
                          httpMethod: POST
            """;

    private static final Route BATCHES = new Route(false, 0, 1, "", "");

    /** Two subscriptions; the second one posts to the address in the setting {@code crash.url}. */
    static Route inBatches() {
        return BATCHES;
    }

    static Route toKafka() {
        return new Route(true, 10_000, 1, "", "");
    }

    /** With a step after the send that waits at {@link Gate}. */
    static Route withGate(boolean pipelined) {
        return new Route(pipelined, 10_000, 1, "", """
                - bean:
                    beanType: dev.caravan.crash.Gate
                    method: pass
                """.indent(8));
    }

    Route withLanes(int lanes) {
        return new Route(pipelined, window, lanes, moreOptions, moreSteps);
    }

    /** One message of a key at a time, at a rate. */
    Route withRate(String rate, int burst) {
        String options = "rate: %s\nburst: %d\n".formatted(rate, burst).indent(8);
        return new Route(false, window, lanes, options, moreSteps);
    }

    /** Writes the route as the only file of a folder; returns the folder. */
    Path writeTo(Path folder) throws IOException {
        Files.writeString(
                folder.resolve("crash.camel.yaml"),
                this == BATCHES
                        ? YAML_WITH_BATCHES
                        : YAML.formatted(pipelined, window, lanes, moreOptions) + moreSteps);
        return folder;
    }
}
