package dev.caravan.lab.torture;

/** Where a subscription delivers to, and what must come of each message there. */
enum TortureDestination {
    KAFKA("Kafka", "torture-kafka", TortureWriters.EVERYTHING, Kind.large, Limits.WINDOW, true, 1),
    HTTP("HTTP", "torture-http", TortureWriters.EVERYTHING, Kind.poison, Limits.CONCURRENCY, false, 3),
    MAIL("mail", "torture-mail", TortureWriters.WATCHED, Kind.poison, Limits.CONCURRENCY, false, 1),
    /** A topic that does not exist at first. */
    LATE_TOPIC("late topic", "torture-late", TortureWriters.WATCHED, Kind.large, Limits.WINDOW, true, 2),
    /** Refuses a share of the messages for ever and takes the others. */
    CHAOS("chaos", "torture-chaos", TortureWriters.EVERYTHING, Kind.hopeless, Limits.CONCURRENCY, false, 1);

    /** How many messages of a lane may be on their way at once: to Kafka, and to the others. */
    private static final class Limits {
        private static final int WINDOW = 1_000;
        private static final int CONCURRENCY = 16;
    }

    private final String title;
    private final String subscription;
    private final String types;
    private final Kind buried;
    private final int onTheirWay;
    private final boolean pipelined;
    private final int lanes;

    TortureDestination(
            String title,
            String subscription,
            String types,
            Kind buried,
            int onTheirWay,
            boolean pipelined,
            int lanes) {
        this.title = title;
        this.subscription = subscription;
        this.types = types;
        this.buried = buried;
        this.onTheirWay = onTheirWay;
        this.pipelined = pipelined;
        this.lanes = lanes;
    }

    /** Its name for people. */
    String title() {
        return title;
    }

    /** Also the id of its route, and the name of its topic if it has one. */
    String subscription() {
        return subscription;
    }

    /** The pattern of the message types that its route selects. */
    String types() {
        return types;
    }

    /** How many messages of a lane may be on their way at once. */
    int onTheirWay() {
        return onTheirWay;
    }

    /** How many lanes its subscription has. */
    int lanes() {
        return lanes;
    }

    /** Whether messages are sent without waiting for the one before, and the order is restored by repeating. */
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
