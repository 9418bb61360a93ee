package dev.caravan.test;

import dev.caravan.base.message.Message;
import dev.caravan.camel.outbox.OnDemandConsumer.Attempted;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Ended;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.schedule.Result;
import dev.caravan.engine.schedule.RetryPolicy;
import dev.caravan.engine.schedule.Schedule;
import dev.caravan.routes.destination.Sent;
import dev.caravan.routes.tryout.DryRun;
import dev.caravan.routes.tryout.DryRun.Attempt;
import dev.caravan.routes.tryout.DryRun.TriedRoute;
import dev.caravan.routes.tryout.Recorded;
import dev.caravan.test.RouteMessage.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The lane of one route. It uses the schedule of a relay, and stores in memory what a relay stores in the database. It makes one attempt
 * at a time, and time passes only in {@link #retry}.
 */
final class TestLane {
    private static final Set<State> WAITING = Set.of(State.RETRIED, State.UNAVAILABLE, State.BLOCKED);

    private final DryRun run;
    private final TriedRoute route;
    private final Report report;
    private final List<Sent> sent;
    private final LaneSettings options;
    private final Schedule schedule;
    /** The messages that were delivered, in order; one that was delivered several times occurs as often. */
    private final List<RouteMessage> delivered = new ArrayList<>();

    private final Map<Long, RouteMessage> messages = new LinkedHashMap<>();
    /** By key: a failed message, or a dead one that blocks, and those behind it. */
    private final Map<Object, List<RouteMessage>> waiting = new LinkedHashMap<>();

    private long now;

    /** @param sent receives what is sent, in order */
    TestLane(DryRun run, TriedRoute route, Report report, List<Sent> sent) {
        this.run = run;
        this.route = route;
        this.report = report;
        this.sent = sent;
        options = run.lane(route.id());
        schedule = new Schedule(
                options.order(), options.pipelined(), 1, options.retry().onDead());
    }

    TriedRoute route() {
        return route;
    }

    RetryPolicy policy() {
        return options.retry();
    }

    Order order() {
        return options.order();
    }

    RouteMessage add(Message message) {
        RouteMessage added = new RouteMessage(message, this);
        messages.put(message.id(), added);
        List<RouteMessage> before = waiting.get(queue(message));
        if (before == null) {
            schedule.add(Delivery.fresh(message));
        } else {
            before.add(added);
            added.enter(State.BLOCKED);
        }
        return added;
    }

    private Object queue(Message message) {
        return switch (options.order()) {
            case key -> message.key();
            case strict -> Order.strict;
            case none -> message.id();
        };
    }

    /** Makes attempts until no message may start. */
    void deliver() {
        for (List<Delivery> next = next(); !next.isEmpty(); next = next()) {
            attempt(next);
        }
        messages.values().stream()
                .filter(message -> message.state() == State.NEW)
                .forEach(message -> message.enter(State.UNAVAILABLE));
    }

    private List<Delivery> next() {
        if (options.pipelined()) {
            Delivery next = schedule.next(now, freshBelow());
            return next == null ? List.of() : List.of(next);
        }
        var limits = options.batching();
        return schedule.nextBatch(limits.messages(), limits.bytes(), now, freshBelow());
    }

    /** The id below which new messages may start: with order=strict, none starts behind a message that waits or is dead. */
    private long freshBelow() {
        return waiting.values().stream()
                .filter(queue -> options.order() == Order.strict)
                .mapToLong(queue -> queue.get(0).message().id())
                .min()
                .orElse(Long.MAX_VALUE);
    }

    private void attempt(List<Delivery> deliveries) {
        Attempt attempt = run.attempt(route.id(), deliveries);
        attempt.recorded().forEach(recorded -> sent.add(recorded.sent()));
        List<RouteMessage> attempted = deliveries.stream().map(this::of).toList();
        for (int i = 0; i < deliveries.size(); i++) {
            attempted.get(i).attempted(new RouteAttempt(deliveries, i, attempt));
        }
        Attempted end = attempt.end()
                .orElseThrow(() -> Report.failure("Route " + route.id()
                        + " had not ended after " + run.limit().toMillis()
                        + " ms. The limit of an attempt is set with RouteTestBuilder.limit.\n"
                        + attempted.get(0).describe()));
        if (end.together()) {
            schedule.failedTogether(deliveries, end.results().get(0), now);
            attempted.forEach(message -> message.enter(State.NEW));
            return;
        }
        for (int i = 0; i < deliveries.size(); i++) {
            if (end.results().get(i) == Result.DELIVERED) {
                delivered.add(attempted.get(i));
            } else {
                attempted.get(i).enter(State.NEW); // the result of schedule.finished may change this below
            }
        }
        apply(schedule.finished(deliveries, end.results(), now));
    }

    private RouteMessage of(Delivery delivery) {
        return messages.get(delivery.message().id());
    }

    private void apply(Ended ended) {
        ended.delivered().forEach(delivery -> of(delivery).delivered());
        ended.dead().forEach(this::dead);
        ended.failed().forEach(this::failed);
        ended.blocked().forEach(delivery -> {
            addWaiting(delivery);
            of(delivery).enter(State.BLOCKED);
        });
    }

    private void failed(Delivery delivery) {
        RouteMessage message = of(delivery);
        message.failed(delivery.isCounted(), now);
        if (delivery.isCounted() && policy().isExhausted(message.failedAttempts(), message.failingFor(now))) {
            dead(delivery);
        } else {
            message.enter(State.RETRIED);
            addWaiting(delivery);
        }
    }

    private void dead(Delivery delivery) {
        RouteMessage message = of(delivery);
        List<Recorded> recorded = run.deadLetter(route.id(), delivery, delivery.failure());
        recorded.forEach(each -> sent.add(each.sent()));
        message.dead(recorded);
        if (options.deadLettersBlock()) {
            addWaiting(delivery);
        }
    }

    private void addWaiting(Delivery delivery) {
        waiting.computeIfAbsent(queue(delivery.message()), key -> new ArrayList<>())
                .add(of(delivery));
    }

    /** Whether {@link #retry} would make an attempt. */
    boolean mayRetry() {
        return schedule.hasReady()
                || waiting.values().stream().anyMatch(queue -> !queue.get(0).isDead());
    }

    /** Lets time pass until each message is due and an unavailable destination may be probed, and makes the attempts. */
    void retry() {
        List<List<RouteMessage>> due = waiting.values().stream()
                .filter(queue -> !queue.get(0).isDead())
                .toList();
        now += due.stream()
                .map(queue -> queue.get(0).waitTime(policy().backoff()))
                .max(Duration::compareTo)
                .orElse(Duration.ZERO)
                .toNanos();
        now += schedule.untilNextProbe(now);
        waiting.values().removeAll(due);
        due.forEach(queue -> queue.forEach(message -> schedule.add(message.redelivery(queue.get(0) == message, now))));
        deliver();
    }

    /** The ids of the delivered messages of a key, in the order of their last deliveries. */
    List<Long> deliveredOf(String key) {
        Set<Long> order = new LinkedHashSet<>();
        for (RouteMessage message : delivered) {
            if (message.message().key().toString().equals(key)) {
                order.remove(message.message().id());
                order.add(message.message().id());
            }
        }
        return List.copyOf(order);
    }

    /** All messages of this test, in order. */
    Stream<RouteMessage> all() {
        return messages.values().stream();
    }

    /** The messages that wait for an attempt. */
    Stream<RouteMessage> waiting() {
        return all().filter(message -> WAITING.contains(message.state()));
    }

    Report report() {
        return report;
    }
}
