package dev.caravan.lab.torture.stage;

import dev.caravan.lab.torture.receiver.Kind;
import dev.caravan.lab.torture.receiver.WrittenMessage;

/** A destination of a subscription, and the expected result of each message. */
public enum TortureDestination {
    KAFKA("Kafka", "torture-kafka", TortureWriters.EVERYTHING, Kind.large, Limits.WINDOW, Sending.PIPELINED, 1),
    HTTP("HTTP", "torture-http", TortureWriters.EVERYTHING, Kind.poison, Limits.CONCURRENCY, Sending.SINGLY, 3),
    KAFKA_BATCHES(
            "Kafka in batches",
            "torture-kafka-batches",
            TortureWriters.EVERYTHING,
            Kind.large,
            Limits.CONCURRENCY * Limits.BATCH,
            Sending.BATCHES_IN_PARTS,
            1),
    /** Accepts all messages of a request or none. */
    HTTP_BATCHES(
            "HTTP in batches",
            "torture-http-batches",
            TortureWriters.EVERYTHING,
            Kind.poison,
            Limits.CONCURRENCY * Limits.BATCH,
            Sending.WHOLE_BATCHES,
            2),
    MAIL("mail", "torture-mail", TortureWriters.WATCHED, Kind.poison, Limits.CONCURRENCY, Sending.SINGLY, 1),
    /** A topic that does not exist at the start. */
    LATE_TOPIC("late topic", "torture-late", TortureWriters.WATCHED, Kind.large, Limits.WINDOW, Sending.PIPELINED, 2),
    /** Always refuses a share of the messages and accepts the others. */
    CHAOS("chaos", "torture-chaos", TortureWriters.EVERYTHING, Kind.refused, Limits.CONCURRENCY, Sending.SINGLY, 1);

    /** Maximum number of messages of a lane in flight: pipelined, and otherwise; and maximum number of messages of a batch. */
    private static final class Limits {
        private static final int WINDOW = 1_000;
        private static final int CONCURRENCY = 16;
        private static final int BATCH = 50;
    }

    /** How messages are sent. */
    enum Sending {
        SINGLY,
        PIPELINED,
        /** The destination may accept some messages of a batch that fails. */
        BATCHES_IN_PARTS,
        WHOLE_BATCHES
    }

    private final String title;
    private final String subscription;
    private final String types;
    private final Kind deadKind;
    private final int inFlight;
    private final Sending sending;
    private final int lanes;

    TortureDestination(
            String title, String subscription, String types, Kind deadKind, int inFlight, Sending sending, int lanes) {
        this.title = title;
        this.subscription = subscription;
        this.types = types;
        this.deadKind = deadKind;
        this.inFlight = inFlight;
        this.sending = sending;
        this.lanes = lanes;
    }

    /** The subscription; also the id of the route and the name of the topic. */
    public String subscription() {
        return subscription;
    }

    /** The pattern of the message types of the route. */
    String types() {
        return types;
    }

    /** Maximum number of messages of a lane in flight. */
    public int inFlight() {
        return inFlight;
    }

    /** The number of lanes of the subscription. */
    public int lanes() {
        return lanes;
    }

    /** The options for the way in which its messages are sent. */
    String options() {
        return switch (sending) {
            case SINGLY -> "concurrency: " + inFlight;
            case PIPELINED -> "pipelined: true\n        window: " + inFlight;
            case BATCHES_IN_PARTS, WHOLE_BATCHES ->
                "batching: true\n        concurrency: " + Limits.CONCURRENCY + "\n        batchMaxMessages: "
                        + Limits.BATCH;
        };
    }

    /** Whether a message may arrive before an earlier one of its key that failed, and arrives again after it. */
    public boolean repeatsRestoreOrder() {
        return sending == Sending.PIPELINED || sending == Sending.BATCHES_IN_PARTS;
    }

    private boolean selects(WrittenMessage message) {
        return types.equals(TortureWriters.EVERYTHING) || types.equals(message.type());
    }

    /** Whether the message must arrive. */
    public boolean expects(WrittenMessage message) {
        return selects(message) && message.kind() != deadKind;
    }

    /** Whether the message must become a dead letter. */
    public boolean becomesDead(WrittenMessage message) {
        return selects(message) && message.kind() == deadKind;
    }

    @Override
    public String toString() {
        return title;
    }
}
