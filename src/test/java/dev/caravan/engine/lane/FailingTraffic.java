package dev.caravan.engine.lane;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.engine.lane.SimulatedRelay.Attempt;
import dev.caravan.engine.lane.SimulatedWorld.Failures;
import dev.caravan.engine.schedule.Backoff;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.engine.schedule.OnDead;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.schedule.Result;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;

/** One relay that delivers a steady traffic to a destination that refuses some of it, in simulated time. */
final class FailingTraffic {
    static final Result ERROR_500 = Result.retry(failure("500"));
    static final Result ERROR_502 = Result.retry(failure("502"));
    static final Result ERROR_400 = Result.dead(failure("400"));
    static final Result ERROR_503 = Result.unavailable(failure("503"), Duration.ZERO);
    static final int ATTEMPTS = 4;
    private static final Duration TICK = Duration.ofMillis(5);
    private static final int STEPS_A_TICK = 8;
    private static final Duration SURVEY_INTERVAL = Duration.ofMillis(200);

    private record InFlight(Attempt attempt, long endsAt) {}

    final SimulatedWorld world;
    /** When each message arrived first. */
    final Map<Long, Long> arrivedAt = new HashMap<>();

    final Map<Long, Long> writtenAt = new HashMap<>();
    private final SimulatedRelay relay;
    private final int concurrency;
    private final Deque<InFlight> inFlight = new ArrayDeque<>();
    private Function<Message, Result> destination = message -> Result.DELIVERED;
    private Duration latency = Duration.ofMillis(10);
    private long surveyedAt;
    int attempts;

    FailingTraffic(Order order, boolean pipelined, int batch, int window, Duration backoff) {
        this(order, pipelined, batch, window, backoff, ATTEMPTS);
    }

    FailingTraffic(Order order, boolean pipelined, int batch, int window, Duration backoff, int maxAttempts) {
        world = new SimulatedWorld(order, pipelined, OnDead.CONTINUE, Failures.ATTEMPTS, new Choices(List.of()));
        relay = world.relays.get(0);
        concurrency = 10;
        world.options = TestLaneSettings.of(settings -> {
            settings.order = order;
            settings.pipelined = pipelined;
            settings.concurrency = concurrency;
            settings.batchSize = batch;
            settings.window = window;
            settings.maxAttempts = maxAttempts;
            settings.maxAge = Duration.ofDays(7);
            settings.backoff = new Backoff(backoff, backoff.multipliedBy(1000), new Random(1));
        });
    }

    void answers(Function<Message, Result> answers) {
        destination = answers;
    }

    void answersAfter(Duration time) {
        latency = time;
    }

    static Failure failure(String text) {
        return new Failure("HttpOperationFailedException", text, "", "", text, "", true);
    }

    void write(int count, Function<Integer, String> key) {
        var transaction = world.outbox.begin();
        for (int i = 0; i < count; i++) {
            transaction.write(new Key("order", key.apply(i)), "order.created", null);
            writtenAt.put((long) writtenAt.size() + 1, world.now());
        }
        transaction.commit();
        transaction.release();
    }

    /** Lets a time pass, in which nothing new is written. */
    void run(Duration time) {
        run(time, TICK);
    }

    void run(Duration time, Duration tick) {
        for (long end = world.now() + time.toNanos(); world.now() < end; ) {
            tick(tick);
        }
    }

    void tick() {
        tick(TICK);
    }

    private void tick(Duration tick) {
        world.timePasses(tick);
        for (int i = 0; i < STEPS_A_TICK; i++) {
            relay.step();
        }
        if (world.now() - surveyedAt >= SURVEY_INTERVAL.toNanos()) {
            surveyedAt = world.now();
            relay.survey();
        }
        startAll();
        while (!inFlight.isEmpty() && inFlight.peek().endsAt <= world.now()) {
            end(inFlight.remove().attempt);
            startAll();
        }
    }

    private void startAll() {
        int before;
        do {
            before = relay.attempts().size();
            relay.start();
            if (relay.attempts().size() > before) {
                attempts++;
                inFlight.add(new InFlight(relay.attempts().get(before), world.now() + latency.toNanos()));
            }
        } while (relay.attempts().size() > before);
    }

    private void end(Attempt attempt) {
        Delivery delivery = attempt.delivery();
        Result result = destination.apply(delivery.message());
        if (result == Result.DELIVERED) {
            world.destination.arrived(delivery.message(), attempt.start());
            arrivedAt.putIfAbsent(delivery.message().id(), world.now());
        }
        relay.ended(attempt, result);
    }

    /** The longest time from commit to arrival of some messages; for one that has not arrived, the time until now. */
    Duration slowest(List<Long> ids) {
        long now = world.now();
        return Duration.ofNanos(ids.stream()
                .mapToLong(id -> arrivedAt.getOrDefault(id, now) - writtenAt.get(id))
                .max()
                .orElse(0));
    }

    List<Long> dead() {
        return world.subscription.retries.deadIds().stream().sorted().toList();
    }
}
