package dev.caravan.test;

import dev.caravan.base.message.Message;
import dev.caravan.engine.schedule.Backoff;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.routes.destination.Sent;
import dev.caravan.routes.tryout.Recorded;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What one route has done with one message so far. */
final class RouteMessage {
    /** The state in which a relay would show the message. */
    enum State {
        /** It has just been added or attempted, and the lane has not decided yet. */
        NEW,
        DELIVERED,
        /** Delivered, although nothing was sent: a step filtered it out. */
        FILTERED,
        /** An idempotentConsumer skipped it, because it was delivered before. */
        REPEAT,
        /** It has failed and is retried later. */
        RETRIED,
        /** The destination is unavailable: all messages of the subscription wait. */
        UNAVAILABLE,
        /** An earlier message of its key waits or is dead. */
        BLOCKED,
        DEAD
    }

    private final Message message;
    private final TestLane lane;
    private final List<RouteAttempt> attempts = new ArrayList<>();
    private List<Recorded> sentByDeadLetterRoute = List.of();
    private State state = State.NEW;
    private int failedAttempts;
    private long failingSince;

    RouteMessage(Message message, TestLane lane) {
        this.message = message;
        this.lane = lane;
    }

    Message message() {
        return message;
    }

    TestLane lane() {
        return lane;
    }

    State state() {
        return state;
    }

    void enter(State newState) {
        state = newState;
    }

    void attempted(RouteAttempt attempt) {
        attempts.add(attempt);
    }

    void delivered() {
        RouteAttempt last = attempts.get(attempts.size() - 1);
        state = last.repeat() ? State.REPEAT : last.recorded().isEmpty() ? State.FILTERED : State.DELIVERED;
    }

    void failed(boolean isCounted, long now) {
        if (isCounted && failedAttempts++ == 0) {
            failingSince = now;
        }
    }

    void dead(List<Recorded> recorded) {
        state = State.DEAD;
        sentByDeadLetterRoute = recorded;
    }

    boolean isDead() {
        return state == State.DEAD;
    }

    int failedAttempts() {
        return failedAttempts;
    }

    Duration failingFor(long now) {
        return failedAttempts == 0 ? Duration.ZERO : Duration.ofNanos(now - failingSince);
    }

    Duration waitTime(Backoff backoff) {
        return backoff.after(Math.max(1, failedAttempts));
    }

    /** The next delivery of a message that waits; others of its key follow the first one. */
    Delivery redelivery(boolean isFirst, long now) {
        return isFirst
                ? Delivery.stored(message, message.id(), failedAttempts, failingFor(now))
                : Delivery.follower(message, message.id(), failedAttempts, failingFor(now));
    }

    List<RouteAttempt> attempts() {
        return attempts;
    }

    /** Everything that was sent for it, in order, including failed attempts. */
    List<Sent> sent() {
        return attempts.stream()
                .flatMap(attempt -> attempt.recorded().stream())
                .map(Recorded::sent)
                .toList();
    }

    List<Recorded> sentByDeadLetterRoute() {
        return sentByDeadLetterRoute;
    }

    /** The failure of the last attempt that failed; empty if none has failed. */
    Optional<Failure> failure() {
        return attempts.stream()
                .flatMap(attempt -> attempt.result().stream())
                .filter(result -> result.failure() != null)
                .reduce((one, next) -> next)
                .map(result -> result.failure());
    }

    /** The wait that the destination requested in its answer to the last attempt; zero for none. */
    Duration retryAfter() {
        return attempts.isEmpty()
                ? Duration.ZERO
                : attempts.get(attempts.size() - 1)
                        .result()
                        .map(result -> result.retryAfter())
                        .orElse(Duration.ZERO);
    }

    String describe() {
        return lane.report().of(this);
    }
}
