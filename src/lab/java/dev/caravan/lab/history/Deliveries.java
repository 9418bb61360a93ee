package dev.caravan.lab.history;

import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.engine.schedule.Outcome;
import dev.caravan.engine.schedule.Result;
import dev.caravan.lab.history.plan.HistoryOptions;
import dev.caravan.lab.history.plan.StepKind;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.jdbc.core.JdbcTemplate;

/** Simulates the destination of a subscription: sends messages to it, and gives its answers. */
final class Deliveries {
    private static final Result FAILED = Result.retry(failure("failed"));
    private static final Result POISON = Result.dead(failure("poison"));
    private static final Result UNAVAILABLE = Result.unavailable(failure("unavailable"), Duration.ZERO);
    /** An outage is inferred only after at least this many messages have failed. */
    private static final int FAILURES_OF_AN_OUTAGE = 20;

    private final String subscription;
    private final JdbcTemplate jdbc;
    private final ExpectedMessages messages;
    private final HistoryOptions options;
    /** The messages that failed in each lane. */
    private final Map<Lane, Set<Long>> failed = new HashMap<>();

    /** The lanes that received the result that the destination is unavailable. */
    private final Set<Lane> unavailable = new HashSet<>();

    Deliveries(String subscription, HistoryOptions options, JdbcTemplate jdbc, ExpectedMessages messages) {
        this.subscription = subscription;
        this.options = options;
        this.jdbc = jdbc;
        this.messages = messages;
    }

    private static Failure failure(String text) {
        return new Failure("java.io.IOException", text, "", "", text);
    }

    /** Takes a message that may start; returns null if none may. */
    PlayedAttempt take(SteppedRelay relay, SteppedLane lane) {
        Delivery delivery = lane.next();
        if (delivery == null) {
            return null;
        }
        PlayedAttempt attempt = new PlayedAttempt(this, lane.number(), lane.lane(), delivery);
        relay.attempts().add(attempt);
        return attempt;
    }

    /** Sends a message, unless its lane is closed or the lease has ended; returns whether it is sent. */
    boolean send(SteppedRelay relay, PlayedAttempt attempt) {
        Lane lane = attempt.lane();
        if (attempt.isSent()) {
            return true;
        }
        if (lane.isClosed()) {
            relay.attempts().remove(attempt);
            return false;
        }
        if (!lane.snapshot().leaseHolds()) {
            return false;
        }
        List<Long> epoch = jdbc.queryForList(
                "select epoch from outbox_subscription where name = ? and lane = ?",
                Long.class,
                subscription,
                attempt.laneNumber());
        if (!epoch.equals(List.of(lane.epoch())) && !messages.isOutdated(lane)) {
            throw new Violation("message " + attempt.delivery().message().id() + " is sent in epoch " + lane.epoch()
                    + ", although another relay holds epoch " + epoch);
        }
        attempt.sent(messages.sent(attempt.delivery(), lane));
        return true;
    }

    void answer(SteppedRelay relay, PlayedAttempt attempt, StepKind kind) {
        if (!send(relay, attempt)) {
            return;
        }
        switch (kind) {
            case ACCEPTED -> {
                attempt.message().arrivals++;
                finish(relay, attempt, Result.DELIVERED);
            }
            case ANSWER_LOST -> {
                attempt.message().arrivals++;
                finish(relay, attempt, FAILED);
            }
            case ARRIVES -> attempt.message().arrivals++;
            case FAILED -> finish(relay, attempt, FAILED);
            case POISON -> finish(relay, attempt, POISON);
            default -> finish(relay, attempt, UNAVAILABLE);
        }
    }

    private void finish(SteppedRelay relay, PlayedAttempt attempt, Result result) {
        relay.attempts().remove(attempt);
        Lane lane = attempt.lane();
        if (lane.isClosed()) {
            return;
        }
        Delivery delivery = attempt.delivery();
        lane.finished(delivery, result);
        if (result == Result.DELIVERED) {
            attempt.message().deliveredBy = lane;
            return;
        }
        if (delivery.isCounted()) {
            attempt.message().wasDead |=
                    result.outcome() == Outcome.DEAD || delivery.failedAttempts() + 1 >= options.maxAttempts();
        }
        checkAvailability(lane, delivery, result);
    }

    private void checkAvailability(Lane lane, Delivery delivery, Result result) {
        if (result == UNAVAILABLE) {
            unavailable.add(lane);
        }
        Set<Long> ids = failed.computeIfAbsent(lane, each -> new HashSet<>());
        ids.add(delivery.message().id());
        if (lane.destinationIsUnavailable() && !unavailable.contains(lane) && ids.size() < FAILURES_OF_AN_OUTAGE) {
            throw new Violation(
                    "the destination is considered unavailable after failures of only " + ids.size() + " messages");
        }
    }
}
