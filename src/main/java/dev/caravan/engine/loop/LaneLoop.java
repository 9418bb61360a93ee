package dev.caravan.engine.loop;

import dev.caravan.database.Sql;
import dev.caravan.engine.lane.Change;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.lane.Suspension;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.LaneReader;
import dev.caravan.engine.store.SequenceRestartedException;
import dev.caravan.engine.store.SubscriptionStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The loop of one lane, and the wiring of its parts. A turn requests the lease, reads and saves, or hands the lane over to another
 * relay. Methods are called by one thread at a time, except {@link #lane}, {@link #suspend}, {@link #resume}, {@link #await} and {@link #wake}.
 */
public final class LaneLoop {
    private static final Duration CLAIM_INTERVAL = Duration.ofMillis(200);
    /** The query for writers costs about as much as a read, so it does not follow each read. */
    private static final long WRITERS_INTERVAL_NANOS = 10_000_000L;

    private final LaneSettings settings;
    private final LaneId id;
    private final RelayParts relay;
    private final SubscriptionParts shared;
    private final LaneCounters counters;
    private final JdbcTemplate jdbc;
    private final SubscriptionStore store;
    private final RetryIntake retries;
    private final LaneReader reader;
    private final LaneLease lease;
    private final LaneSaves saves;
    private final ReadPace pace;
    private final Handover handover;
    private final LongAttempts longAttempts;
    private final Runnable wakeToSave = this::wake;

    private long writersSeenAt;
    /** Guarded by this. If a suspension comes before a claim, the claim sees it. */
    private boolean suspended;

    /**
     * @param number the number of the lane
     * @param deadLetters receives each dead letter after it is stored
     */
    public LaneLoop(
            LaneSettings settings,
            int number,
            LaneConnections connections,
            RelayParts relay,
            SubscriptionParts shared,
            LaneCounters counters,
            Consumer<Change.Dead> deadLetters) {
        this.settings = settings;
        this.relay = relay;
        this.shared = shared;
        this.counters = counters;
        id = new LaneId(settings.subscription(), number, settings.lanes());
        jdbc = new JdbcTemplate(connections);
        store = new SubscriptionStore(
                jdbc, id, settings.relay(), settings.lease(), settings.deadLettersBlock(), relay.clock());
        retries = new RetryIntake(store.retries(), settings, relay);
        reader = new LaneReader(
                settings,
                id,
                counters,
                retries::waiting,
                found -> store.requireSame(found, lane().position()),
                relay.clock());
        LaneParts parts = new LaneParts(id, settings, connections, this::wake);
        lease = new LaneLease(parts, store, relay, shared.rate(), counters);
        saves = new LaneSaves(settings, store, lease, counters, relay.clock(), deadLetters);
        pace = new ReadPace(settings, relay.wakeUp()::sleepNumber, relay.clock());
        handover = new Handover(shared.choice(), number, relay.clock());
        longAttempts = new LongAttempts(settings, relay.clock());
        writersSeenAt = relay.clock().nanos();
    }

    public LaneId id() {
        return id;
    }

    public LaneCounters counters() {
        return counters;
    }

    /** The connections of the lane. */
    public JdbcTemplate jdbc() {
        return jdbc;
    }

    /** Prepares the next read of a turn. */
    public LaneReader reader() {
        return reader;
    }

    /** The statement with which {@link #settleAndSave} saves progress. */
    public Sql saveStatement() {
        return store.saveStatement();
    }

    /** The lane, or null while this relay does not own it. */
    public Lane lane() {
        return lease.lane();
    }

    /** Takes part in wake-up and presence of the relay, and starts messages. */
    public void join() {
        resume();
        relay.wakeUp().join(pace);
        relay.presence().listen(wakeToSave);
        relay.presence().start();
    }

    /** Ends what {@link #join} has begun. */
    public void leave() {
        relay.wakeUp().leave(pace);
        relay.presence().unlisten(wakeToSave);
    }

    /** Waits until the next turn is due. */
    public void await() throws InterruptedException {
        pace.await();
    }

    /** Starts the next turn at once. */
    public void wake() {
        pace.wake();
    }

    /**
     * One turn of the loop.
     *
     * @param read runs the statement that {@link #reader} has prepared, passes its result to the reader, and calls {@link #settleAndSave}
     * @param deliverers starts the delivery of a lane that was just claimed
     * @return the number of rows read
     */
    public int turn(Callable<?> read, Consumer<Lane> deliverers) throws Exception {
        if (lane() != null && lane().isClosed()) {
            lease.drop(); // a delivery thread has closed it
        }
        if (lane() == null && !claimIfAllowed(deliverers)) {
            pace.pause(relay.presence().untilNextEnded(CLAIM_INTERVAL));
            return 0;
        }
        if (handover.isDue(saves.isDraining())) {
            pace.pause(handOver() ? CLAIM_INTERVAL : Duration.ZERO);
            return 0;
        }
        handover.cancel(lane());
        Lane lane = lane();
        long sleepNumber = relay.wakeUp().sleepNumber();
        retries.take(lane);
        if (reader.prepare(lane)) {
            read.call();
            if (isHalted()) {
                pace.pause(CLAIM_INTERVAL);
                return 0;
            }
            planNextTurn(lane, sleepNumber);
        } else {
            lane.awaitRoom(settings.saveInterval());
            settleAndSave();
            pace.again();
        }
        longAttempts.check(lane);
        shared.failures().succeeded(id.number());
        return reader.rows();
    }

    /** Begins or continues a handover; returns whether the lane is released. */
    private boolean handOver() throws InterruptedException {
        handover.begin(lane());
        if (lane().awaitAttempts(settings.saveInterval())) {
            saves.release(Suspension.HANDOVER, Duration.ZERO);
            handover.reset();
            return true;
        }
        settleAndSave();
        handover.waits(saves.isDraining());
        return false;
    }

    /** Halts the subscription if the sequence does not continue after what the lane has read; throws any other failure of the read. */
    private boolean isHalted() {
        try {
            reader.throwFailure();
            return false;
        } catch (SequenceRestartedException e) {
            if (lane() != null) { // a save may have found it too
                lease.halt(e);
            }
            return true;
        }
    }

    /** Handles the failure of a turn, or of work between turns: the next turn starts after a pause. */
    public void failed(RuntimeException e) {
        pace.pause(
                lease.dropIfOtherHistory(e) ? CLAIM_INTERVAL : shared.failures().failed(id.number(), e));
    }

    private boolean claimIfAllowed(Consumer<Lane> deliverers) {
        if (!shared.choice().mayClaim(id.number())) {
            shared.failures().forget(id.number());
            return false;
        }
        boolean claimed = false;
        try {
            claimed = claim() && mayKeep(deliverers);
        } finally {
            if (!claimed) {
                shared.choice().notClaimed(id.number());
            }
        }
        return claimed;
    }

    /** Requests the lease; returns whether this relay owns the lane now. */
    public boolean claim() {
        boolean claimed = lease.claim();
        handover.reset();
        saves.begin();
        return claimed;
    }

    private boolean mayKeep(Consumer<Lane> deliverers) {
        if (isSuspended()) {
            releaseUnused();
            return false;
        }
        startDeliverers(deliverers);
        return true;
    }

    /** Releases a lane of which nothing has started. If the release fails, the lease expires; a resume claims the lane again. */
    private void releaseUnused() {
        try {
            saves.release(Suspension.STOP);
        } finally {
            lease.drop();
        }
    }

    private void startDeliverers(Consumer<Lane> deliverers) {
        try {
            deliverers.accept(lane());
        } catch (RuntimeException | Error e) {
            lease.drop(); // with too few threads this relay would own the lane without delivering
            throw e;
        }
    }

    private void planNextTurn(Lane lane, long sleepNumber) {
        if (reader.rows() > 0) {
            pace.again();
            relay.wakeUp().messagesFound();
        } else if (lane.isQuiet()) {
            pace.idle(sleepNumber);
        } else {
            pace.waiting();
        }
    }

    /** Does what is due: settles missing ids, saves progress, renews the lease; surveys the side tables and reports, for all lanes. */
    public void settleAndSave() {
        Lane lane = lane();
        if (lane.needsWriters() && relay.clock().nanos() - writersSeenAt >= WRITERS_INTERVAL_NANOS) {
            lane.observed(store.writers(lane.waitsForWriters()));
            writersSeenAt = relay.clock().nanos();
        }
        lane.saveLessOften(relay.horizon().age());
        saves.saveIfDue();
        if (lane() != null) {
            retries.surveyIfDue(lane);
            relay.owned().reportIfDue(relay.horizon().age());
        }
        relay.horizon().update(jdbc);
    }

    /** Saves and releases the lane; see {@link LaneSaves#release(Suspension, Duration)}. */
    public void release(Suspension reason, Duration maxWait) throws InterruptedException {
        saves.release(reason, maxWait);
    }

    /** Saves and releases the lane because its route stops. Waits up to 5 s for messages in flight. */
    public void release() {
        saves.release(Suspension.STOP);
    }

    /** Releases the lane without a wait for messages in flight. If that fails, the lease expires. */
    public void stop() throws InterruptedException {
        try {
            saves.release(Suspension.STOP, Duration.ZERO);
        } catch (RuntimeException e) {
            shared.failures().failed(id.number(), e);
            lease.drop();
        }
    }

    /** Starts no more messages; returns the lane if this relay owns it. */
    public synchronized Optional<Lane> suspend() {
        suspended = true;
        Optional<Lane> lane = Optional.ofNullable(lane());
        lane.ifPresent(held -> held.suspend(Suspension.STOP));
        return lane;
    }

    /** Starts messages again. */
    public synchronized void resume() {
        suspended = false;
        Optional.ofNullable(lane()).ifPresent(held -> held.resume(Suspension.STOP));
    }

    private synchronized boolean isSuspended() {
        return suspended;
    }
}
