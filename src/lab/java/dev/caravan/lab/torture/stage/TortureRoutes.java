package dev.caravan.lab.torture.stage;

import dev.caravan.lab.torture.stage.TortureDestination.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

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
    static void write(Path folder, List<TortureDestination> destinations, int httpPort, int smtpPort, int chaosPort)
            throws IOException {
        for (TortureDestination destination : destinations) {
            String to =
                    switch (destination.server()) {
                        case KAFKA -> TO_KAFKA.formatted(destination.subscription());
                        case HTTP -> toHttp(httpPort, destination);
                        case CHAOS -> toHttp(chaosPort, destination);
                        case MAIL -> TO_MAIL.formatted(smtpPort);
                    };
            Files.writeString(folder.resolve(destination.subscription() + ".camel.yaml"), from(destination) + to);
        }
    }

    private static String toHttp(int port, TortureDestination destination) {
        String kind =
                switch (destination.sending()) {
                    case SLOWLY -> "slow";
                    case STRICTLY -> "tolerant";
                    case WHOLE_BATCHES -> "batches";
                    default -> "messages";
                };
        return TO_HTTP.formatted(port, kind + "/" + destination.subscription(), RESPONSE_TIMEOUT_MILLIS);
    }

    private static String from(TortureDestination destination) {
        int attempts = destination.server() == Server.CHAOS ? FEW_ATTEMPTS : MANY_ATTEMPTS;
        String steps =
                switch (destination.sending()) {
                    case BATCHES_IN_PARTS -> BATCHES_FROM_OUTBOX + TO;
                    case WHOLE_BATCHES -> BATCHES_FROM_OUTBOX + AS_LINES + TO;
                    default -> FROM_OUTBOX;
                };
        return steps.formatted(
                destination.subscription(),
                destination.types(),
                String.join("\n        ", destination.options()),
                destination.lanes(),
                attempts);
    }
}
