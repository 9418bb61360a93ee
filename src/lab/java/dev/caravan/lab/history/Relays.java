package dev.caravan.lab.history;

import dev.caravan.engine.lane.Lane;
import dev.caravan.lab.history.plan.HistoryClock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.JdbcTemplate;

/** The relays of a history. They execute one statement after the other while the time of the history passes. */
final class Relays implements AutoCloseable {
    private static final int MILLIS_OF_A_TURN = 15;
    private static final int MAX_STATEMENTS = 500;

    private final List<SteppedRelay> relays;
    private final HistoryDatabase database;
    private final JdbcTemplate jdbc;
    private final HistoryClock clock;
    private final List<PlayedSubscription> subscriptions;
    private final Restoration restoration;
    /** The lane that each stepped lane owned after its last step; null if it owned none. */
    private final Map<SteppedLane, Lane> owned = new HashMap<>();

    private long databaseTime;

    Relays(
            List<SteppedRelay> relays,
            HistoryDatabase database,
            HistoryClock clock,
            List<PlayedSubscription> subscriptions,
            Restoration restoration) {
        this.relays = relays;
        this.database = database;
        jdbc = database.jdbc();
        this.clock = clock;
        this.subscriptions = subscriptions;
        this.restoration = restoration;
    }

    List<SteppedRelay> all() {
        return relays;
    }

    /** The lanes that the relays own. */
    Set<Object> lanes() {
        return relays.stream()
                .flatMap(relay -> relay.lanes().stream())
                .map(SteppedLane::lane)
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
    }

    /** Runs a whole turn of a loop, or the rest of one that has begun. */
    void turn(SteppedLoop loop) {
        run(loop, MAX_STATEMENTS, StatementOutcome.EXECUTED);
    }

    /** Executes a number of statements of a loop, in its current turn or a new one, and then applies an outcome to the next statement. */
    void run(SteppedLoop loop, int statements, StatementOutcome then) {
        SteppedThread thread = loop.thread();
        if (thread.isIdle()) {
            passMillis(MILLIS_OF_A_TURN);
            thread.begin(loop::turn);
            thread.settle(database);
        }
        execute(thread, statements);
        if (then != StatementOutcome.EXECUTED && thread.isAtStatement()) {
            restoration.failed(relayOf(loop));
            thread.proceed(then);
            thread.settle(database);
        }
        stepped(loop);
    }

    private void execute(SteppedThread thread, int statements) {
        for (int n = 0; n < statements && thread.isAtStatement(); n++) {
            thread.proceed(StatementOutcome.EXECUTED);
            thread.settle(database);
        }
    }

    private void stepped(SteppedLoop loop) {
        if (loop instanceof SteppedLane lane) {
            recordOwned(lane);
            if (lane.thread().isIdle()) {
                restoration.turnEnded(relayOf(lane));
            }
        }
        subscriptions.forEach(each -> each.messages().checkPlaces());
    }

    private void recordOwned(SteppedLane lane) {
        Lane before = owned.get(lane);
        Lane now = lane.lane();
        if (before != null && now != before && isReleased(lane, before.epoch())) {
            lane.subscription().messages().released(before);
        }
        owned.put(lane, now);
        lane.subscription().messages().checkCreated();
    }

    private String relayOf(SteppedLoop loop) {
        return relays.stream()
                .filter(relay -> relay.loops().contains(loop))
                .map(SteppedRelay::name)
                .findFirst()
                .orElseThrow();
    }

    private boolean isReleased(SteppedLane lane, long epoch) {
        return jdbc.queryForObject(
                "select exists (select 1 from outbox_subscription where name = ? and lane = ? and epoch = ? and owner is null"
                        + " and halted_at is null)",
                Boolean.class,
                lane.subscription().name(),
                lane.number(),
                epoch);
    }

    /** Stops a relay, which then starts again. No effect if one of its loops waits for a lock, an attempt or time. */
    void stop(SteppedRelay relay) {
        for (SteppedLoop loop : relay.loops()) {
            execute(loop.thread(), MAX_STATEMENTS);
            stepped(loop);
            if (!loop.thread().isIdle()) {
                return; // it waits for a lock, an attempt or time
            }
        }
        relay.stopTail();
        for (SteppedLane lane : relay.lanes()) {
            lane.thread().begin(lane::stop);
            lane.thread().settle(database);
            execute(lane.thread(), MAX_STATEMENTS);
            stepped(lane);
            if (!lane.thread().isIdle()) {
                relay.kill();
                return;
            }
        }
        relay.stopped();
    }

    void passMillis(long millis) {
        clock.passMillis(millis);
        if (clock.micros() != databaseTime) {
            databaseTime = clock.micros();
            database.setTime(databaseTime);
        }
        relays.forEach(relay -> relay.lanes().forEach(SteppedLane::timePassed));
        settle();
    }

    /** Waits until no thread of a relay executes anything. */
    void settle() {
        for (SteppedRelay relay : relays) {
            relay.loops().forEach(loop -> loop.thread().settle(database));
        }
    }

    @Override
    public void close() {
        relays.forEach(SteppedRelay::close);
    }
}
