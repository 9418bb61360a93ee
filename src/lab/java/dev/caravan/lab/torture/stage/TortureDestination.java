package dev.caravan.lab.torture.stage;

import dev.caravan.lab.torture.receiver.Kind;
import dev.caravan.lab.torture.receiver.WrittenMessage;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A destination of a subscription, and the expected result of each message.
 *
 * @param title its name in results
 * @param subscription the subscription; also the id of the route and the name of the topic
 * @param types the pattern of the message types of the route
 * @param deadKind the kind of the messages that it never accepts
 * @param inFlight maximum number of messages of a lane in flight
 * @param lanes the number of lanes of the subscription
 */
public record TortureDestination(
        String title,
        String subscription,
        String types,
        Server server,
        Kind deadKind,
        int inFlight,
        Sending sending,
        int lanes) {
    private static final int WINDOW = 1_000;
    private static final int SMALL_WINDOW = 50;
    private static final int CONCURRENCY = 16;
    private static final int LOW_CONCURRENCY = 4;
    private static final int BATCH = 50;

    /** The server that receives the messages. */
    enum Server {
        KAFKA,
        HTTP,
        MAIL,
        CHAOS
    }

    /** How messages are sent. */
    enum Sending {
        SINGLY,
        /** To a destination that is slow half of the time, with a small window, which is then full. */
        SLOWLY,
        /** In order of id, to a destination that accepts every message in the end. */
        STRICTLY,
        WITHOUT_ORDER,
        PIPELINED,
        /** The destination may accept some messages of a batch that fails. */
        BATCHES_IN_PARTS,
        /** The destination accepts all messages of a request or none. */
        WHOLE_BATCHES
    }

    public static final TortureDestination KAFKA = new TortureDestination(
            "Kafka",
            "torture-kafka",
            TortureWriters.EVERYTHING,
            Server.KAFKA,
            Kind.large,
            WINDOW,
            Sending.PIPELINED,
            1);

    public static final TortureDestination HTTP = new TortureDestination(
            "HTTP",
            "torture-http",
            TortureWriters.EVERYTHING,
            Server.HTTP,
            Kind.poison,
            CONCURRENCY,
            Sending.SINGLY,
            3);

    private static final TortureDestination KAFKA_BATCHES = new TortureDestination(
            "Kafka in batches",
            "torture-kafka-batches",
            TortureWriters.EVERYTHING,
            Server.KAFKA,
            Kind.large,
            CONCURRENCY * BATCH,
            Sending.BATCHES_IN_PARTS,
            1);

    private static final TortureDestination HTTP_BATCHES = new TortureDestination(
            "HTTP in batches",
            "torture-http-batches",
            TortureWriters.EVERYTHING,
            Server.HTTP,
            Kind.poison,
            CONCURRENCY * BATCH,
            Sending.WHOLE_BATCHES,
            2);

    public static final TortureDestination MAIL = new TortureDestination(
            "mail", "torture-mail", TortureWriters.WATCHED, Server.MAIL, Kind.poison, CONCURRENCY, Sending.SINGLY, 1);

    /** A topic that does not exist at the start. */
    public static final TortureDestination LATE_TOPIC = new TortureDestination(
            "late topic",
            "torture-late",
            TortureWriters.WATCHED,
            Server.KAFKA,
            Kind.large,
            WINDOW,
            Sending.PIPELINED,
            2);

    /** Always refuses a share of the messages and accepts the others. */
    public static final TortureDestination CHAOS = new TortureDestination(
            "chaos",
            "torture-chaos",
            TortureWriters.EVERYTHING,
            Server.CHAOS,
            Kind.refused,
            CONCURRENCY,
            Sending.SINGLY,
            1);

    private static final List<TortureDestination> USUAL =
            List.of(KAFKA, HTTP, KAFKA_BATCHES, HTTP_BATCHES, MAIL, LATE_TOPIC, CHAOS);

    /** The number of subscriptions of a usual run, which is also the smallest one. */
    public static final int USUAL_COUNT = USUAL.size();

    /** The destinations of the usual run, and more of different speed up to this number. */
    static List<TortureDestination> first(int count) {
        return Stream.concat(
                        USUAL.stream(),
                        IntStream.rangeClosed(USUAL_COUNT + 1, count).mapToObj(TortureDestination::another))
                .toList();
    }

    private static TortureDestination another(int number) {
        return switch (number % 7) {
            case 0 -> http("unordered", number, TortureWriters.EVERYTHING, CONCURRENCY, Sending.WITHOUT_ORDER, 2);
            case 1 -> http("rare", number, TortureWriters.RARE, CONCURRENCY, Sending.SINGLY, 1);
            case 2 -> http("slow", number, TortureWriters.EVERYTHING, LOW_CONCURRENCY, Sending.SLOWLY, 1);
            case 3 -> http("strict", number, TortureWriters.WATCHED, 1, Sending.STRICTLY, 1);
            case 4 -> kafka("rare topic", number, TortureWriters.RARE, WINDOW, 3);
            case 5 -> kafka("narrow topic", number, TortureWriters.EVERYTHING, SMALL_WINDOW, 2);
            default -> http("watched", number, TortureWriters.WATCHED, LOW_CONCURRENCY, Sending.SINGLY, 2);
        };
    }

    private static TortureDestination http(
            String title, int number, String types, int concurrency, Sending sending, int lanes) {
        Kind deadKind = sending == Sending.STRICTLY ? Kind.refused : Kind.poison;
        return new TortureDestination(
                title + " " + number, "torture-" + number, types, Server.HTTP, deadKind, concurrency, sending, lanes);
    }

    private static TortureDestination kafka(String title, int number, String types, int window, int lanes) {
        return new TortureDestination(
                title + " " + number,
                "torture-" + number,
                types,
                Server.KAFKA,
                Kind.large,
                window,
                Sending.PIPELINED,
                lanes);
    }

    /** The options for the way in which its messages are sent, one for each line. */
    List<String> options() {
        return switch (sending) {
            case SINGLY -> List.of("concurrency: " + inFlight);
            case SLOWLY -> List.of("concurrency: " + inFlight, "window: " + SMALL_WINDOW);
            case STRICTLY -> List.of("order: strict");
            case WITHOUT_ORDER -> List.of("order: none", "concurrency: " + inFlight);
            case PIPELINED -> List.of("pipelined: true", "window: " + inFlight);
            case BATCHES_IN_PARTS, WHOLE_BATCHES ->
                List.of("batching: true", "concurrency: " + CONCURRENCY, "batchMaxMessages: " + BATCH);
        };
    }

    /** Whether all messages arrive in order of id. */
    public boolean isStrict() {
        return sending == Sending.STRICTLY;
    }

    /** Whether the messages of a key are ordered. */
    public boolean isOrdered() {
        return sending != Sending.WITHOUT_ORDER;
    }

    /** Whether a message may arrive before an earlier one of its key that failed, and arrives again after it. */
    public boolean repeatsRestoreOrder() {
        return sending == Sending.PIPELINED || sending == Sending.BATCHES_IN_PARTS;
    }

    private boolean selects(WrittenMessage message) {
        return message.type().matches(types.replace(".", "\\.").replace("*", ".*"));
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
