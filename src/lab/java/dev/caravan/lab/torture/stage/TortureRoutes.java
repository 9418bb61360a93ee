package dev.caravan.lab.torture.stage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The routes of the relays: one for each destination. */
final class TortureRoutes {
    static final int RESPONSE_TIMEOUT_MILLIS = 1_500;

    /** Temporary refusals must not make a message a dead letter. */
    private static final int MANY_ATTEMPTS = 100;
    /** A message that is always refused becomes a dead letter soon. */
    private static final int FEW_ATTEMPTS = 4;

    private static final String BEGINNING = """
            - route:
                id: %1$s
                from:
                  uri: outbox:%1$s
                  parameters:
                    types: "%2$s"
                    lanes: %4$d
                    %3$s
                    maxAttempts: %5$d
                    backoff: 200ms
                    maxBackoff: 2000ms
                  steps:
                    - setHeader:
                        name: relay
                        expression:
                          constant:
                            expression: "{{camel.component.outbox.relay}}"
            """;

    private static final String FROM_OUTBOX = BEGINNING + """
                    # a mail has the headers that its route sets, and no others
                    - setHeader:
                        name: torture-id
                        expression:
                          simple:
                            expression: "${header.id}"
                    - setHeader:
                        name: torture-key
                        expression:
                          simple:
                            expression: "${header.aggregate-id}"
                    - to:
            """;

    private static final String BATCHES_FROM_OUTBOX = BEGINNING + """
                    - split:
                        expression:
                          simple:
                            expression: "${body}"
                        steps:
                          - setHeader:
                              name: relay
                              expression:
                                constant:
                                  expression: "{{camel.component.outbox.relay}}"
            """;

    /** One request for all messages, with a line for each. */
    private static final String AS_LINES = """
                          - setBody:
                              expression:
                                simple:
                                  expression: '{"id":"${header.id}","key":"${header.aggregate-id}","payload":${body}}'
                    - setBody:
                        expression:
                          simple:
                            expression: "${body.ndjson}"
            """;

    private static final String TO = """
                    - to:
            """;

    private static final String TO_KAFKA = """
                        uri: kafka:%s
                        parameters:
                          requestTimeoutMs: 2000
                          deliveryTimeoutMs: 4000
                          maxBlockMs: 3000
            """.indent(12);

    private static final String TO_HTTP = """
                        uri: http://localhost:%d/%s
                        parameters:
                          httpMethod: POST
                          connectTimeout: 1000
                          responseTimeout: %d
            """.indent(12);

    private static final String TO_MAIL = """
                        uri: smtp://localhost:%d
                        parameters:
                          from: torture@example.com
                          to: receiver@example.com
                          connectionTimeout: 1000
                          mail.smtp.timeout: 1500
            """.indent(12);

    private TortureRoutes() {}

    /** @param folder the folder to write to */
    static void write(Path folder, int httpPort, int smtpPort, int chaosPort) throws IOException {
        for (TortureDestination destination : TortureDestination.values()) {
            String to =
                    switch (destination) {
                        case KAFKA, LATE_TOPIC -> TO_KAFKA.formatted(destination.subscription());
                        case KAFKA_BATCHES -> TO + TO_KAFKA.formatted(destination.subscription());
                        case HTTP -> TO_HTTP.formatted(httpPort, "messages", RESPONSE_TIMEOUT_MILLIS);
                        case HTTP_BATCHES ->
                            AS_LINES + TO + TO_HTTP.formatted(httpPort, "batches", RESPONSE_TIMEOUT_MILLIS);
                        case CHAOS -> TO_HTTP.formatted(chaosPort, "messages", RESPONSE_TIMEOUT_MILLIS);
                        case MAIL -> TO_MAIL.formatted(smtpPort);
                    };
            Files.writeString(folder.resolve(destination.subscription() + ".camel.yaml"), from(destination) + to);
        }
    }

    private static String from(TortureDestination destination) {
        boolean inBatches = destination.options().startsWith("batching");
        int attempts = destination == TortureDestination.CHAOS ? FEW_ATTEMPTS : MANY_ATTEMPTS;
        return (inBatches ? BATCHES_FROM_OUTBOX : FROM_OUTBOX)
                .formatted(
                        destination.subscription(),
                        destination.types(),
                        destination.options(),
                        destination.lanes(),
                        attempts);
    }
}
