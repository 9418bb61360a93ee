package dev.caravan.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;

/** A schedule with a clock, and next to it what happened to each message: every step is checked against that. */
final class WatchedSchedule {
    private static final Duration WAIT = Duration.ofMillis(100);

    /** What happened to one message; times are numbers of steps. */
    private static final class History {
        private final Message message;
        private final long added;
        private long firstStart;
        private long lastStart;
        private int attempts;
        private int failures;
        private long failedAt;
        private boolean onItsWay;
        private boolean arrived;
        private boolean delivered;

        private History(Message message, long added) {
            this.message = message;
            this.added = added;
        }
    }

    private final Order order;
    private final boolean pipelined;
    private final int maxStarted;
    private final Schedule schedule;
    private final Map<Long, History> histories = new HashMap<>();
    private final List<Delivery> onTheirWay = new ArrayList<>();
    private final TreeSet<Long> missing = new TreeSet<>();
    private long highest;
    private long steps;
    private long now;

    WatchedSchedule(Order order, boolean pipelined, int maxStarted) {
        this.order = order;
        this.pipelined = pipelined;
        this.maxStarted = maxStarted;
        schedule = new Schedule(order, pipelined, maxStarted, new Backoff(WAIT, WAIT, new Random(1)));
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
        Message message = Messages.message(id, key);
        histories.put(id, new History(message, ++steps));
        schedule.add(message);
    }

    boolean start() {
        Delivery delivery = schedule.next(now, missing.isEmpty() ? Long.MAX_VALUE : missing.first());
        if (delivery == null) {
            return false;
        }
        History history = histories.get(delivery.message().id());
        checkStart(history);
        history.lastStart = ++steps;
        history.firstStart = history.attempts == 0 ? steps : history.firstStart;
        history.attempts++;
        history.onItsWay = true;
        history.arrived = false;
        onTheirWay.add(delivery);
        assertThat(delivery.attempt()).isEqualTo(history.attempts);
        return true;
    }

    private void checkStart(History history) {
        assertThat(onTheirWay).hasSizeLessThan(maxStarted);
        assertThat(history.onItsWay || history.delivered)
                .as("message %s is on its way or delivered already", history.message.id())
                .isFalse();
        if (order == Order.strict) {
            assertThat(missing.headSet(history.message.id())).isEmpty();
        }
        if (history.failures > 0) {
            assertThat(now - history.failedAt)
                    .as("wait of message %s", history.message.id())
                    .isGreaterThanOrEqualTo(WAIT.toNanos() * 3 / 4);
        }
        if (pipelined) {
            return;
        }
        assertThat(history.attempts).as("only a failure is repeated").isEqualTo(history.failures);
        for (History other : sameQueue(history)) {
            assertThat(other.onItsWay).as("two of a key on their way").isFalse();
            if (history.attempts == 0 && other.message.id() < history.message.id()) {
                assertThat(other.delivered)
                        .as("message %s is delivered before %s starts", other.message.id(), history.message.id())
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

    void end(int which, Outcome outcome) {
        if (onTheirWay.isEmpty()) {
            return;
        }
        Delivery delivery = onTheirWay.remove(which % onTheirWay.size());
        History history = histories.get(delivery.message().id());
        history.onItsWay = false;
        history.arrived = outcome == Outcome.DELIVERED;
        if (outcome == Outcome.RETRY) {
            history.failures++;
            history.failedAt = now;
        }
        for (Message delivered : schedule.finished(delivery, outcome, now)) {
            checkDelivered(histories.get(delivered.id()));
        }
    }

    private void checkDelivered(History history) {
        assertThat(history.arrived && !history.delivered)
                .as("message %s arrived and was not counted before", history.message.id())
                .isTrue();
        history.delivered = true;
        for (History earlier : sameQueue(history)) {
            boolean knownInTime = earlier.added < history.firstStart;
            if (knownInTime && earlier.message.id() < history.message.id()) {
                assertThat(earlier.delivered && earlier.lastStart < history.lastStart)
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

    /** What holds at every moment. */
    void check() {
        List<Message> unfinished = unfinished();
        long first = unfinished.stream().mapToLong(Message::id).min().orElse(0);
        assertThat(schedule.started()).isEqualTo(onTheirWay.size());
        assertThat(schedule.size()).isEqualTo(unfinished.size());
        assertThat(schedule.bytes())
                .isEqualTo(unfinished.stream().mapToLong(Message::bytes).sum());
        assertThat(schedule.untilNextRetry(now) == Long.MAX_VALUE).isEqualTo(schedule.blockedKeys() == 0);
        assertThat(schedule.firstInStrictOrder()).isEqualTo(order == Order.strict ? first : 0);
    }

    private List<Message> unfinished() {
        return histories.values().stream()
                .filter(history -> !history.delivered)
                .map(history -> history.message)
                .toList();
    }

    /** Without further failures everything is delivered, in as many rounds as there are messages at most. */
    void finishAll() {
        missing.clear();
        int rounds = 2 * histories.size() + 2;
        for (int round = 0; round < rounds; round++) {
            timePasses(100);
            while (start()) {
                // as many as may start at once
            }
            while (!onTheirWay.isEmpty()) {
                end(0, Outcome.DELIVERED);
            }
        }
        assertThat(unfinished()).as("not delivered in the end").isEmpty();
        assertThat(schedule.size()).isZero();
        assertThat(schedule.bytes()).isZero();
        assertThat(schedule.started()).isZero();
        assertThat(schedule.blockedKeys()).isZero();
        assertThat(schedule.next(now, Long.MAX_VALUE)).isNull();
    }

    /** How many attempts there were beyond one for each message, if no attempt has failed. */
    int repeatsWithoutFailure() {
        int failures = histories.values().stream()
                .mapToInt(history -> history.failures)
                .sum();
        int attempts = histories.values().stream()
                .mapToInt(history -> history.attempts)
                .sum();
        return failures > 0 ? 0 : attempts - histories.size();
    }
}
