package dev.caravan.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A schedule with a clock, and a history of each message, against which every step is checked. A message that leaves the schedule
 * without being delivered waits for a retry and is added again, the failed message first.
 */
final class WatchedSchedule {
    private enum Place {
        SCHEDULE,
        RETRY,
        DELIVERED,
        DEAD
    }

    /** What happened to one message; times are numbers of steps. */
    private static final class History {
        private final Message message;
        private final long added;
        private Place place = Place.SCHEDULE;
        private boolean failed;
        private long firstStart;
        private long lastStart;
        private int attempts;
        private int notDelivered;
        private boolean inFlight;
        private Outcome last;
        private boolean failedBefore;
        private boolean mayHaveArrivedUncounted;
        private long recoveriesAtFirstOutage = Long.MAX_VALUE;

        private History(Message message, long added) {
            this.message = message;
            this.added = added;
        }

        private boolean hasEnded() {
            return place == Place.DELIVERED || place == Place.DEAD;
        }
    }

    private final Order order;
    private final boolean pipelined;
    private final int maxStarted;
    private final Schedule schedule;
    private final Map<Long, History> histories = new TreeMap<>();
    private final List<Delivery> inFlight = new ArrayList<>();
    private final TreeSet<Long> missing = new TreeSet<>();
    private long highest;
    private long steps;
    private long recoveries;
    private long now;

    WatchedSchedule(Order order, boolean pipelined, int maxStarted, OnDead onDead) {
        this.order = order;
        this.pipelined = pipelined;
        this.maxStarted = maxStarted;
        schedule = new Schedule(order, pipelined, maxStarted, onDead);
    }

    /** Adds the message after the highest one, leaving some ids out. */
    void addNew(int leftOut, String key) {
        for (int i = 0; i < leftOut; i++) {
            missing.add(++highest);
        }
        add(++highest, key);
    }

    /** Adds a message that was left out before; no effect if there is none. */
    void addLate(int which, String key) {
        if (!missing.isEmpty()) {
            long id = List.copyOf(missing).get(which % missing.size());
            missing.remove(id);
            add(id, key);
        }
    }

    private void add(long id, String key) {
        History history = new History(TestMessages.message(id, key), ++steps);
        boolean waits = order == Order.key && sameQueue(history).stream().anyMatch(h -> h.place == Place.RETRY);
        histories.put(id, history);
        if (waits) {
            history.place = Place.RETRY;
        } else {
            schedule.add(Delivery.fresh(history.message));
        }
    }

    /** Adds what waits for a retry again: of each key the failed message, or all if none has failed. */
    void retry() {
        Map<Key, List<History>> byKey = new HashMap<>();
        histories.values().stream()
                .filter(history -> history.place == Place.RETRY)
                .forEach(history -> byKey.computeIfAbsent(history.message.key(), k -> new ArrayList<>())
                        .add(history));
        byKey.values().forEach(waiting -> {
            boolean hasHead = waiting.stream().anyMatch(history -> history.failed);
            boolean headIsAdded = waiting.stream()
                    .flatMap(history -> sameQueue(history).stream())
                    .anyMatch(other -> other.failed && other.place == Place.SCHEDULE);
            waiting.stream()
                    .filter(history -> order == Order.none || history.failed || !hasHead && !headIsAdded)
                    .forEach(this::retry);
        });
    }

    private void retry(History history) {
        history.place = Place.SCHEDULE;
        history.failedBefore = true;
        schedule.add(Delivery.stored(history.message, 1, history.notDelivered, Duration.ZERO));
    }

    boolean start() {
        boolean fails = histories.values().stream().anyMatch(history -> history.failed && !history.hasEnded());
        long below = order == Order.strict && fails ? 0 : missing.isEmpty() ? Long.MAX_VALUE : missing.first();
        Delivery delivery = schedule.next(now, below);
        if (delivery == null) {
            return false;
        }
        History history = histories.get(delivery.message().id());
        checkStart(history, delivery);
        history.lastStart = ++steps;
        history.firstStart = history.attempts == 0 ? steps : history.firstStart;
        history.attempts++;
        history.inFlight = true;
        history.last = null;
        inFlight.add(delivery);
        return true;
    }

    private void checkStart(History history, Delivery delivery) {
        assertThat(inFlight).hasSizeLessThan(maxStarted);
        if (schedule.availability().isTesting()) {
            boolean severalTest = schedule.availability().isSuspected()
                    || schedule.availability().isInferred();
            assertThat(inFlight.stream().filter(each -> each.isTest))
                    .as("tests in flight")
                    .hasSizeLessThan(severalTest ? Availability.TEST_MESSAGES : 1);
        }
        assertThat(history.inFlight).as("in flight already").isFalse();
        assertThat(history.place).isEqualTo(Place.SCHEDULE);
        if (order == Order.strict && !delivery.isStored()) {
            assertThat(missing.headSet(history.message.id())).isEmpty();
        }
        if (pipelined) {
            return;
        }
        assertThat(history.attempts).as("only a failure is repeated").isEqualTo(history.notDelivered);
        for (History other : sameQueue(history)) {
            assertThat(other.inFlight).as("two of a key in flight").isFalse();
            if (history.attempts == 0 && other.message.id() < history.message.id()) {
                assertThat(other.hasEnded())
                        .as("message %s has ended before %s starts", other.message.id(), history.message.id())
                        .isTrue();
            }
        }
    }

    private List<History> sameQueue(History history) {
        return histories.values().stream()
                .filter(other -> other != history)
                .filter(other -> switch (order) {
                    case key -> other.message.key().equals(history.message.key());
                    case strict -> true;
                    case none -> false;
                })
                .toList();
    }

    void end(int which, Result result) {
        if (inFlight.isEmpty()) {
            return;
        }
        Delivery delivery = inFlight.remove(which % inFlight.size());
        History history = histories.get(delivery.message().id());
        boolean unavailable = schedule.availability().isUnavailable();
        history.inFlight = false;
        history.last = resultForMessage(history, delivery, result);
        history.notDelivered += result == Result.DELIVERED ? 0 : 1;
        Ended ended = schedule.finished(delivery, result, schedule.needsTime(result) ? now : Long.MAX_VALUE);
        recoveries += unavailable && !schedule.availability().isUnavailable() ? 1 : 0;
        if (mayHaveArrived(result) && !delivery.isCounted()) {
            assertThat(history.mayHaveArrivedUncounted)
                    .as("message %s may have arrived twice, and no attempt counts", history.message.id())
                    .isFalse();
            history.mayHaveArrivedUncounted = true;
        }
        ended.delivered().forEach(this::delivered);
        ended.dead().forEach(this::dead);
        ended.failed().forEach(this::failed);
        ended.blocked().forEach(this::blocked);
        ended.dead().forEach(this::checkOrder);
        ended.delivered().forEach(this::checkOrder);
        assertThat(ended.blocked())
                .isSortedAccordingTo((a, b) -> pipelined
                        ? 0
                        : Long.compare(a.message().id(), b.message().id()));
    }

    private static boolean mayHaveArrived(Result result) {
        return (result.outcome() == Outcome.RETRY || result.outcome() == Outcome.DEAD)
                && !result.failure().isAnswered();
    }

    /** The destination may be the cause of the first failure of a message, of that of a repeat, and of those in up to three outages. */
    private Outcome resultForMessage(History history, Delivery delivery, Result result) {
        Outcome outcome = result.outcome();
        boolean isAway = outcome == Outcome.UNAVAILABLE;
        boolean testing = schedule.availability().isTesting();
        boolean counts =
                testing ? history.failedBefore && (!delivery.isRepeat || mayHaveArrived(result)) && !isAway : !isAway;
        if (outcome != Outcome.DELIVERED) {
            history.failedBefore |= !isAway && delivery.isTest || mayHaveArrived(result);
        }
        if (outcome == Outcome.DELIVERED || counts) {
            return outcome == Outcome.DEAD && testing ? Outcome.RETRY : outcome;
        }
        history.recoveriesAtFirstOutage = Math.min(history.recoveriesAtFirstOutage, recoveries);
        return (isAway || !delivery.isTest) && recoveries - history.recoveriesAtFirstOutage >= 3
                ? Outcome.RETRY
                : Outcome.UNAVAILABLE;
    }

    private History leaves(Delivery delivery, Place place) {
        History history = histories.get(delivery.message().id());
        assertThat(history.place).as("left before").isEqualTo(Place.SCHEDULE);
        assertThat(history.inFlight).as("leaves while in flight").isFalse();
        history.place = place;
        history.mayHaveArrivedUncounted = false;
        history.recoveriesAtFirstOutage = Long.MAX_VALUE;
        return history;
    }

    private void delivered(Delivery delivery) {
        History history = leaves(delivery, Place.DELIVERED);
        assertThat(history.last).isEqualTo(Outcome.DELIVERED);
    }

    private void dead(Delivery delivery) {
        History history = leaves(delivery, Place.DEAD);
        assertThat(history.last).isEqualTo(Outcome.DEAD);
        assertThat(delivery.isCounted()).isTrue();
        assertThat(delivery.failure()).isNotNull();
    }

    private void failed(Delivery delivery) {
        History history = leaves(delivery, Place.RETRY);
        history.failed = true;
        assertThat(history.last).isEqualTo(Outcome.RETRY);
        assertThat(delivery.failure()).isNotNull();
        assertThat(delivery.isCounted()).isTrue();
        checkOrder(delivery);
    }

    private void blocked(Delivery delivery) {
        assertThat(order).as("others wait in memory or not at all").isEqualTo(Order.key);
        History history = leaves(delivery, Place.RETRY);
        history.failed = false;
    }

    private void checkOrder(Delivery delivery) {
        History history = histories.get(delivery.message().id());
        for (History earlier : sameQueue(history)) {
            boolean knownInTime = earlier.added < history.firstStart;
            if (knownInTime && earlier.message.id() < history.message.id()) {
                assertThat(earlier.hasEnded() && earlier.lastStart < history.lastStart)
                        .as(
                                "message %s counts for an attempt after that of %s",
                                history.message.id(), earlier.message.id())
                        .isTrue();
            }
        }
    }

    void timePasses(int millis) {
        now += Duration.ofMillis(millis).toNanos();
    }

    /** Checks what always holds. */
    void check() {
        List<Message> inside = inside();
        long first = inside.stream().mapToLong(Message::id).min().orElse(0);
        assertThat(schedule.started()).isEqualTo(inFlight.size());
        assertThat(schedule.size()).isEqualTo(inside.size());
        assertThat(schedule.bytes())
                .isEqualTo(inside.stream().mapToLong(Message::bytes).sum());
        if (order != Order.strict || inFlight.isEmpty()) {
            assertThat(schedule.firstInStrictOrder()).isEqualTo(order == Order.strict ? first : 0);
        }
        if (!schedule.availability().isUnavailable()) {
            assertThat(schedule.untilNextProbe(now)).isEqualTo(Long.MAX_VALUE);
        }
    }

    private List<Message> inside() {
        return histories.values().stream()
                .filter(history -> history.place == Place.SCHEDULE)
                .map(history -> history.message)
                .toList();
    }

    /** Without further failures everything is delivered or dead, in as many rounds as there are messages at most. */
    void finishAll() {
        missing.clear();
        int rounds = 4 * histories.size() + 4;
        for (int round = 0; round < rounds; round++) {
            timePasses(30_000);
            retry();
            while (start()) {
                // as many as may start at once
            }
            while (!inFlight.isEmpty()) {
                end(0, Result.DELIVERED);
            }
        }
        assertThat(histories.values()).as("ended").allSatisfy(history -> assertThat(history.hasEnded())
                .as("message %s", history.message.id())
                .isTrue());
        assertThat(schedule.size()).isZero();
        assertThat(schedule.bytes()).isZero();
        assertThat(schedule.started()).isZero();
        assertThat(schedule.next(now, Long.MAX_VALUE)).isNull();
    }

    /** The number of attempts beyond one for each message, if no attempt has failed. */
    int repeatsWithoutFailure() {
        int failures = histories.values().stream()
                .mapToInt(history -> history.notDelivered)
                .sum();
        int attempts = histories.values().stream()
                .mapToInt(history -> history.attempts)
                .sum();
        return failures > 0 ? 0 : attempts - histories.size();
    }
}
