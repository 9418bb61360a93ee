package dev.caravan.torture;

import java.time.Duration;
import java.util.List;
import java.util.Random;

/** The faults that there are, drawn at random. */
final class Faults {
    private final Stage stage;
    private final Random random;
    private final TableLock lock;

    /** @param random the same seed draws the same faults */
    Faults(Stage stage, Random random) {
        this.stage = stage;
        this.random = random;
        lock = new TableLock(stage.outbox());
    }

    Fault draw() {
        RelaySlot relay = stage.relays().get(random.nextInt(stage.relays().size()));
        return switch (random.nextInt(10)) {
            case 0, 1 -> new Fault("kill " + relay.name(), millis(300, 1500), relay::kill, relay::start);
            case 2, 3 -> new Fault("freeze " + relay.name(), millis(2500, 5000), relay::freeze, relay::thaw);
            case 4 -> database();
            case 5 -> network("Postgres of " + relay.name(), relay.postgres());
            case 6 -> kafka();
            case 7 -> network("HTTP", stage.httpProxy());
            default -> http();
        };
    }

    private Fault database() {
        return switch (random.nextInt(3)) {
            case 0 ->
                Fault.moment("end the sessions of relays", () -> stage.outbox().terminate("caravan"));
            case 1 ->
                Fault.moment("end the sessions of writers", () -> stage.outbox().terminate(Writers.APPLICATION));
            default -> new Fault("lock outbox_subscription", millis(1000, 5000), lock::take, lock::release);
        };
    }

    private Fault kafka() {
        return random.nextInt(3) == 0
                ? new Fault("stop Kafka", millis(1000, 3000), stage.kafka()::stop, stage.kafka()::start)
                : network("Kafka", stage.kafka().proxy());
    }

    private Fault network(String whose, TcpProxy proxy) {
        int latency = 10 + random.nextInt(150);
        int bytes = 100 + random.nextInt(20_000);
        return switch (random.nextInt(5)) {
            case 0 ->
                new Fault(
                        whose + ": latency " + latency + " ms",
                        millis(2000, 5000),
                        () -> proxy.delay(Duration.ofMillis(latency)),
                        proxy::pass);
            case 1 -> Fault.moment(whose + ": reset", proxy::reset);
            case 2 -> new Fault(whose + ": silent", millis(2000, 6000), proxy::fallSilent, proxy::pass);
            case 3 ->
                new Fault(
                        whose + ": cut after " + bytes + " bytes",
                        millis(1000, 4000),
                        () -> proxy.cutAfter(bytes),
                        proxy::pass);
            default -> new Fault(whose + ": refused", millis(1000, 4000), proxy::refuse, proxy::pass);
        };
    }

    private Fault http() {
        HttpReceiver.Mode mode = List.of(
                        HttpReceiver.Mode.TOO_MANY,
                        HttpReceiver.Mode.ERRORS,
                        HttpReceiver.Mode.SLOW,
                        HttpReceiver.Mode.ANSWER_LOST)
                .get(random.nextInt(4));
        return new Fault(
                "HTTP answers: " + mode, millis(1500, 5000), () -> stage.http().behave(mode), () -> stage.http()
                        .behave(HttpReceiver.Mode.WELL));
    }

    private Duration millis(int least, int most) {
        return Duration.ofMillis(least + random.nextInt(most - least));
    }
}
