package dev.caravan.camel.headers;

import org.apache.camel.spi.Metadata;

/** Names of the headers and properties of an exchange with a message of the outbox. */
public final class OutboxConstants {
    @Metadata(label = "consumer", description = "The message id: the same on every repeat.", javaType = "String")
    public static final String ID = "id";

    @Metadata(label = "consumer", description = "What happened, for example order.created.", javaType = "String")
    public static final String TYPE = "type";

    @Metadata(label = "consumer", description = "First half of the key.", javaType = "String")
    public static final String AGGREGATE_TYPE = "aggregate-type";

    @Metadata(
            label = "consumer",
            description = "Second half of the key; also the key of Kafka records.",
            javaType = "String")
    public static final String AGGREGATE_ID = "aggregate-id";

    @Metadata(
            label = "consumer",
            description =
                    "The id of the message in the outbox: of two messages of a key the later one has the higher id.",
            javaType = "String")
    public static final String OUTBOX_ID = "outbox-id";

    @Metadata(label = "consumer", description = "When the row was written, in ISO 8601 with UTC.", javaType = "String")
    public static final String CREATED_AT = "created-at";

    @Metadata(label = "consumer", description = "The subscription that reads the message.", javaType = "String")
    public static final String SUBSCRIPTION = "CamelOutboxSubscription";

    @Metadata(
            label = "consumer",
            description = "The place of the message in the order of the outbox.",
            javaType = "Long")
    public static final String POSITION = "CamelOutboxPosition";

    @Metadata(label = "consumer", description = "The number of the attempt, from 1.", javaType = "Integer")
    public static final String ATTEMPT = "CamelOutboxAttempt";

    @Metadata(
            label = "dead-letter",
            description = "In the route dead-letter: the key for a log line, cut if it is long.",
            javaType = "String")
    public static final String KEY = "CamelOutboxKey";

    @Metadata(
            label = "dead-letter",
            description = "In the route dead-letter: class of the last error.",
            javaType = "String")
    public static final String ERROR_CLASS = "CamelOutboxErrorClass";

    @Metadata(
            label = "dead-letter",
            description = "In the route dead-letter: text of the last error.",
            javaType = "String")
    public static final String ERROR_TEXT = "CamelOutboxErrorText";

    /**
     * Exchange property in which an error handler sets the kind of a failure: {@link #DESTINATION}. Without it the failure is a
     * message failure.
     */
    public static final String FAILURE = "CamelOutboxFailure";

    /** Value of {@link #FAILURE}: the destination is unavailable. */
    public static final String DESTINATION = "destination";

    /** Exchange property: the message becomes a dead letter. Set by {@code outbox:dead-letter}. */
    public static final String DEAD = "CamelOutboxDead";

    /** Exchange property: the body that a step has sent instead of the body of the message. Error texts may quote it. */
    public static final String SENT = "CamelOutboxSent";

    /** Exchange property with the last address of Kafka whose topic a step has computed from the message. */
    public static final String COMPUTED = "CamelOutboxComputed";

    /** Exchange property: whether a step has sent a record to another topic of Kafka than that of its endpoint. */
    public static final String OTHER_TOPIC = "CamelOutboxOtherTopic";

    private OutboxConstants() {}
}
