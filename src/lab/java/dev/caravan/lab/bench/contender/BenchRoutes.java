package dev.caravan.lab.bench.contender;

import dev.caravan.lab.bench.run.Topic;

/** The route files of the measured relays. */
public final class BenchRoutes {
    private static final String SEND = """
                    - to:
                        uri: kafka:%2$s
                        parameters:
                          brokers: %3$s
            """;

    /** Has a choice, as most routes do. Messages that do not fail go only to Kafka. */
    private static final String TO_KAFKA = """
            - route:
                id: %1$s
                description: Sends each message to Kafka; poison fails for good, the held message until the gate opens
                from:
                  uri: outbox:%1$s
                  parameters:
                    pipelined: true
                    maxAttempts: 1000
                    maxBackoff: 1000ms
                  steps:
                    - choice:
                        when:
                          - expression:
                              simple:
                                expression: "${header.type} == 'order.poison'"
                            steps:
                              - throwException:
                                  exceptionType: org.apache.kafka.common.errors.SerializationException
                                  message: poison
                          - expression:
                              simple:
                                expression: "${header.type} == 'order.held'"
                            steps:
                              - to:
                                  uri: "http://localhost:{{bench.gate:1}}/gate"
                                  variableReceive: answer
            """ + SEND;

    private static final String TO_KAFKA_IN_BATCHES = """
            - route:
                id: %1$s
                description: Sends several messages to Kafka with one exchange
                from:
                  uri: outbox:%1$s
                  parameters:
                    batching: true
                  steps:
            """ + SEND;

    /** Each record names the relay that sent it. */
    private static final String NAMING_THE_RELAY = """
            - route:
                id: %1$s
                description: Sends each message to Kafka and says which relay did it
                from:
                  uri: outbox:%1$s
                  parameters:
                    pipelined: true
                  steps:
                    - setHeader:
                        name: relay
                        expression:
                          constant:
                            expression: "{{camel.component.outbox.relay}}"
            """ + SEND;

    /** Fails if the server does not accept a message; the shipped error handling then applies. */
    private static final String TO_HTTP = """
            - route:
                id: bench
                description: Posts each message
                from:
                  uri: outbox:bench
                  parameters:
                    order: %1$s
                    pipelined: %2$s
                  steps:
                    - setHeader:
                        name: key
                        expression:
                          header:
                            expression: aggregate-id
                    - to:
                        uri: %3$s
            """;

    /** Accepts each message and does nothing, so that only what the relay does is measured. */
    private static final String DISCARDING = """
            - route:
                id: %1$s
                description: Accepts each message
                from:
                  uri: outbox:%1$s
                  parameters:
                    lanes: %2$d
                  steps:
                    - to:
                        uri: "log:bench?level=OFF"
            """;

    /** A relay must have a route. */
    private static final String UNUSED = """
            - route:
                id: unused
                description: Receives nothing
                from:
                  uri: direct:unused
                  steps:
                    - to:
                        uri: "log:bench?level=OFF"
            """;

    private BenchRoutes() {}

    public static String toKafka(String subscription, Topic topic) {
        return TO_KAFKA.formatted(subscription, topic.name(), topic.brokers());
    }

    /** Delivers the messages of one type. */
    public static String toKafka(String subscription, Topic topic, String type) {
        return toKafka(subscription, topic).replace("pipelined: true", "pipelined: true\n        types: " + type);
    }

    /** A route without a destination. */
    public static String discarding(String subscription, int lanes) {
        return DISCARDING.formatted(subscription, lanes);
    }

    /** A route that reads no outbox, so that nothing is delivered. */
    public static String unused() {
        return UNUSED;
    }

    static String toKafkaInBatches(String subscription, Topic topic) {
        return TO_KAFKA_IN_BATCHES.formatted(subscription, topic.name(), topic.brokers());
    }

    public static String toHttp(String url, String order, boolean pipelined) {
        return TO_HTTP.formatted(order, pipelined, url);
    }

    public static String withLanes(Topic topic, int lanes) {
        return namingTheRelay("bench", topic).replace("pipelined: true", "pipelined: true\n        lanes: " + lanes);
    }

    public static String namingTheRelay(String subscription, Topic topic) {
        return NAMING_THE_RELAY.formatted(subscription, topic.name(), topic.brokers());
    }
}
