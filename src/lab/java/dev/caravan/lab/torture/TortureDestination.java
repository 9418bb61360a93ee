package dev.caravan.lab.torture;

/** A destination of a subscription, and the expected result of each message. */
enum TortureDestination {
    KAFKA("Kafka", "torture-kafka", TortureWriters.EVERYTHING, Kind.large, Limits.WINDOW, true, 1),
    HTTP("HTTP", "torture-http", TortureWriters.EVERYTHING, Kind.poison, Limits.CONCURRENCY, false, 3),
    MAIL("mail", "torture-mail", TortureWriters.WATCHED, Kind.poison, Limits.CONCURRENCY, false, 1),
    /** A topic that does not exist at the start. */
    LATE_TOPIC("late topic", "torture-late", TortureWriters.WATCHED, Kind.large, Limits.WINDOW, true, 2),
    /** Always refuses a share of the messages and accepts the others. */
    CHAOS("chaos", "torture-chaos", TortureWriters.EVERYTHING, Kind.hopeless, Limits.CONCURRENCY, false, 1);

    /** Maximum number of messages of a lane in flight: for Kafka, and for the others. */
    private static final class Limits {
        private static final int WINDOW = 1_000;
        private static final int CONCURRENCY = 16;
    }

    private final String title;
    private final String subscription;
    private final String types;
    private final Kind buried;
    private final int inFlight;
    private final boolean pipelined;
    private final int lanes;

    TortureDestination(
            String title, String subscription, String types, Kind buried, int inFlight, boolean pipelined, int lanes) {
        this.title = title;
        this.subscription = subscription;
        this.types = types;
        this.buried = buried;
        this.inFlight = inFlight;
        this.pipelined = pipelined;
        this.lanes = lanes;
    }

    /** The name for people. */
    String title() {
        return title;
    }

    /** The subscription; also the id of the route and the name of the topic. */
    String subscription() {
        return subscription;
    }

    /** The pattern of the message types of the route. */
    String types() {
        return types;
    }

    /** Maximum number of messages of a lane in flight. */
    int inFlight() {
        return inFlight;
    }

    /** The number of lanes of the subscription. */
    int lanes() {
        return lanes;
    }

    /** Whether sends of one key overlap and repeats restore the order. */
    boolean pipelined() {
        return pipelined;
    }

    private boolean selects(WrittenMessage message) {
        return types.equals(TortureWriters.EVERYTHING) || types.equals(message.type());
    }

    /** Whether the message must arrive. */
    boolean takes(WrittenMessage message) {
        return selects(message) && message.kind() != buried;
    }

    /** Whether the message must become a dead letter. */
    boolean buries(WrittenMessage message) {
        return selects(message) && message.kind() == buried;
    }

    @Override
    public String toString() {
        return title;
    }
}
