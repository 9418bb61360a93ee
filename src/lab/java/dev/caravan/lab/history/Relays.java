package dev.caravan.lab.history;

import dev.caravan.lab.history.plan.HistoryClock;
import dev.caravan.lane.Lane;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.JdbcTemplate;

/** The relays of a history. They go on one statement after the other, while the time of the history passes. */
final class Relays implements AutoCloseable {
    private static final int MILLIS_OF_A_TURN = 15;
    private static final int MOST_STATEMENTS = 500;

    private final List<SteppedRelay> relays;
    private final HistoryDatabase database;
    private final JdbcTemplate jdbc;
    private final HistoryClock clock;
    private final ExpectedMessages messages;
    private final Restoration restoration;
    /** What each lane of a relay owned after its last step. */
    private final Map<SteppedLane, Lane> owned = new HashMap<>();

    private long databaseTime;

    Relays(
            List<SteppedRelay> relays,
            HistoryDatabase database,
            HistoryClock clock,
            ExpectedMessages messages,
            Restoration restoration) {
        this.relays = relays;
        this.database = database;
        jdbc = database.jdbc();
        this.clock = clock;
        this.messages = messages;
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

    /** One whole turn of a lane, or the rest of it. */
    void turn(SteppedLane lane) {
        run(lane, MOST_STATEMENTS, Fate.EXECUTED);
    }

    /** Lets a lane go on, or begin its next turn, for a number of statements; then something may happen to the next one. */
    void run(SteppedLane lane, int statements, Fate then) {
        SteppedThread thread = lane.thread();
        if (thread.isIdle()) {
            passMillis(MILLIS_OF_A_TURN);
            thread.begin(lane::turn);
            thread.settle(database);
        }
        execute(thread, statements);
        if (then != Fate.EXECUTED && thread.isAtStatement()) {
            restoration.failed(relayOf(lane));
            thread.goOn(then);
            thread.settle(database);
        }
        stepped(lane);
    }

    private void execute(SteppedThread thread, int statements) {
        for (int n = 0; n < statements && thread.isAtStatement(); n++) {
            thread.goOn(Fate.EXECUTED);
            thread.settle(database);
        }
    }

    private void stepped(SteppedLane lane) {
        Lane before = owned.get(lane);
        Lane now = lane.lane();
        if (before != null && now != before && isReleased(lane.number(), before.epoch())) {
            messages.released(before);
        }
        owned.put(lane, now);
        if (!messages.isCreated()
                && jdbc.queryForObject("select exists (select 1 from outbox_subscription)", Boolean.class)) {
            messages.created();
        }
        if (lane.thread().isIdle()) {
            restoration.turnEnded(relayOf(lane));
        }
        messages.checkPlaces();
    }

    private String relayOf(SteppedLane lane) {
        return relays.stream()
                .filter(relay -> relay.lanes().contains(lane))
                .map(SteppedRelay::name)
                .findFirst()
                .orElseThrow();
    }

    private boolean isReleased(int lane, long epoch) {
        return jdbc.queryForObject(
                "select exists (select 1 from outbox_subscription where lane = ? and epoch = ? and owner is null"
                        + " and halted_at is null)",
                Boolean.class,
                lane,
                epoch);
    }

    /** Stops a relay, which begins again, unless it waits for something. */
    void stop(SteppedRelay relay) {
        for (SteppedLane lane : relay.lanes()) {
            execute(lane.thread(), MOST_STATEMENTS);
            stepped(lane);
            if (!lane.thread().isIdle()) {
                return; // it waits for something, and stops later
            }
        }
        for (SteppedLane lane : relay.lanes()) {
            lane.thread().begin(lane::stop);
            lane.thread().settle(database);
            execute(lane.thread(), MOST_STATEMENTS);
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
            for (SteppedLane lane : relay.lanes()) {
                lane.thread().settle(database);
            }
        }
    }

    @Override
    public void close() {
        relays.forEach(SteppedRelay::close);
    }
}
