package dev.caravan.engine.loop;

import dev.caravan.base.message.Key;
import dev.caravan.database.Sql;
import dev.caravan.engine.lane.Change;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.lane.Save;
import dev.caravan.engine.lane.Selection;
import dev.caravan.engine.lane.Suspension;
import dev.caravan.engine.lane.Tail;
import dev.caravan.engine.store.BatchRows;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.ProgressRow;
import dev.caravan.engine.store.RetryStore;
import dev.caravan.engine.store.SequenceRestartedException;
import dev.caravan.engine.store.SubscriptionStore;
import dev.caravan.engine.store.WriterStore;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The loop of one lane, and the wiring of its parts. A turn requests the lease, takes messages from the tail or reads and saves by itself, or hands
 * the lane over to another relay. The turns of all lanes share a few threads, so a turn does not wait. A turn, and what else changes the lane from
 * outside of its deliveries, holds {@link #lock()}.
 */
public final class LaneLoop implements PolledRead, Follower {
    private static final Logger LOG = LoggerFactory.getLogger(LaneLoop.class);
    private static final Duration CLAIM_INTERVAL = Duration.ofMillis(200);
    /** How often a lane whose end is awaited looks whether its messages in flight have ended. */
    private static final Duration END_INTERVAL = Duration.ofMillis(10);

    private final LaneSettings settings;
    private final LaneId id;
    private final RelayParts relay;
    private final TailLoop tailLoop;
    private final Tail tail;
    private final SubscriptionParts shared;
    private final LaneCounters counters;
    private final LaneConnections connections;
    private final JdbcTemplate jdbc;
    private final SubscriptionStore store;
    private final WriterStore writers;
    private final RetryIntake retries;
    private final LaneReader reader;
    private final LaneLease lease;
    private final LaneSaves saves;
    private final ReadPace pace;
    private final Handover handover;
    private final LongAttempts longAttempts;
    private final Selection selection;
    private final ReentrantLock lock = new ReentrantLock();

    /** Whether a claim was tried since the start of the route. */
    private volatile boolean decided;
    /** Whether the lane waits for the tail to begin. */
    private volatile boolean waitsForTail;
    /** Whether the lane has followed the tail in its last turn. */
    private boolean following;
    /** Whether the lane must read by itself before it follows: it has left the tail for a reason that it may have to find itself. */
    private boolean readsFirst;

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
        tailLoop = relay.tail();
        tail = tailLoop.tail();
        this.shared = shared;
        this.counters = counters;
        this.connections = connections;
        id = new LaneId(settings.subscription(), number, settings.lanes());
        jdbc = new JdbcTemplate(connections);
        store = new SubscriptionStore(
                jdbc, id, settings.relay(), settings.lease(), settings.deadLettersBlock(), relay.clock());
        writers = new WriterStore(jdbc, relay.clock());
        retries = new RetryIntake(store.retries(), settings, relay.clock());
        reader = new LaneReader(settings, store, counters, relay.clock());
        lease = new LaneLease(settings, connections, store, relay, shared.rate(), counters);
        saves = new LaneSaves(settings, store, lease, counters, relay, deadLetters);
        pace = new ReadPace(settings.lease(), settings.saveInterval(), relay.clock());
        handover = new Handover(shared.choice(), number, relay.clock());
        longAttempts = new LongAttempts(settings, relay.clock());
        selection = new Selection(settings, number);
    }

    @Override
    public LaneId id() {
        return id;
    }

    @Override
    public LaneSettings settings() {
        return settings;
    }

    @Override
    public LaneCounters counters() {
        return counters;
    }

    @Override
    public LaneConnections connections() {
        return connections;
    }

    @Override
    public RetryStore.Asked asked() {
        return store.retries().asked(settings.order());
    }

    @Override
    public ReentrantLock lock() {
        return lock;
    }

    @Override
    public JdbcTemplate jdbc() {
        return jdbc;
    }

    @Override
    public Sql statement() {
        return reader.statement();
    }

    @Override
    public void received(BatchRows rows) {
        reader.received(rows);
    }

    @Override
    public String onConsume() {
        return store.saveStatement().text();
    }

    @Override
    public boolean save() {
        settleAndSave();
        return lane() != null;
    }

    @Override
    public Lane lane() {
        return lease.lane();
    }

    /** Takes part in wake-up and presence of the relay, and starts messages. */
    public void join() {
        resume();
        decided = false;
        tailLoop.join(this);
        relay.presence().start();
    }

    /** Ends what {@link #join} has begun. The lock must be held, and no turn may follow: it would take steps without the messages of this lane. */
    public void leave() {
        Lane lane = lane();
        if (lane != null) {
            tail.leave(lane);
        }
        tailLoop.leave(this);
    }

    /** Sets what is called when the next turn is to start before its time. It must return quickly. */
    public void onWake(Runnable listener) {
        pace.onWake(listener);
    }

    /** The time until the next turn, in nanoseconds; 0 or less if it is due. */
    public long untilTurn() {
        return pace.untilTurn();
    }

    @Override
    public void wake() {
        pace.wake();
    }

    /**
     * One turn of the loop.
     *
     * @param read runs {@link #statement}, passes its result to {@link #received}, and calls {@link #save}
     * @param deliverers starts the delivery of a lane that was just claimed
     * @return the number of rows read
     */
    public int turn(Callable<?> read, Consumer<Lane> deliverers) throws Exception {
        waitsForTail = false;
        if (lane() != null && lane().isClosed()) {
            lease.drop(); // a delivery thread has closed it
        }
        if (lane() == null && !claimIfAllowed(deliverers)) {
            // the tail finds out which lanes are free, and they are woken
            pace.pause(
                    tailLoop.isRunning()
                            ? settings.pauseAsleep()
                            : relay.freeLanes().untilNext());
            return 0;
        }
        if (isEnding()) {
            return 0;
        }
        handover.cancel(lane());
        Lane lane = lane();
        retries.take(lane);
        int rows = follows(lane) ? followTail(lane) : readAlone(lane, read);
        if (lane() == lane) {
            longAttempts.check(lane);
            shared.failures().succeeded(id.number());
        }
        return rows;
    }

    /** Whether the lane is to be released; releases it when its messages in flight have ended. */
    private boolean isEnding() throws InterruptedException {
        if (saves.isStopped() && saves.mayReleaseStopped()) {
            saves.release(Suspension.PAUSE, Duration.ZERO);
            pace.pause(CLAIM_INTERVAL);
            return true;
        }
        if (!saves.isStopped() && handover.isDue(saves.isDraining())) {
            pace.pause(handOver() ? CLAIM_INTERVAL : END_INTERVAL);
            return true;
        }
        if (saves.isStopped()) {
            settleAndSave();
            pace.pause(END_INTERVAL);
        }
        return saves.isStopped();
    }

    /** Begins or continues a handover; returns whether the lane is released. */
    private boolean handOver() throws InterruptedException {
        handover.begin(lane());
        if (lane().awaitAttempts(Duration.ZERO)) {
            saves.release(Suspension.HANDOVER, Duration.ZERO);
            handover.reset();
            return true;
        }
        settleAndSave();
        handover.waits(saves.isDraining());
        return false;
    }

    /** Whether the lane takes its messages from the tail. */
    private boolean follows(Lane lane) {
        boolean mayFollow = tailLoop.isRunning() && lane.mayFollow();
        if (mayFollow && tail.isFollowedBy(lane)) {
            following = true;
            return true;
        }
        readsFirst |= following;
        following = false;
        tail.leave(lane);
        if (!mayFollow || readsFirst) {
            return false;
        }
        waitsForTail = !tail.isFollowed() && tailLoop.beginsSoon();
        return waitsForTail || tailLoop.hasHistoryOf(connections) && tail.join(lane, store.sequenceFile());
    }

    private int followTail(Lane lane) {
        int taken = waitsForTail ? 0 : takeSteps(lane, true);
        if (saves.isDueAlone()) {
            saves.saveIfDue();
        }
        surveyAndReport();
        if (waitsForTail) {
            tailLoop.wake();
            pace.pause(settings.saveInterval());
        } else if (lane.messagesWait()) {
            pace.waiting();
        } else { // the tail wakes the lane if there is something to do
            pace.pause(settings.lanes() > 1 ? CLAIM_INTERVAL : settings.pauseAsleep());
        }
        return taken;
    }

    /**
     * Takes the steps of the tail that the lane has not taken, as far as its window has room.
     *
     * @param mayQuery whether keys may be looked up in the database; otherwise the next turn continues where that is necessary
     */
    private int takeSteps(Lane lane, boolean mayQuery) {
        int taken = 0;
        Tail.Part part = tail.next(lane, selection);
        while (part != null) {
            Set<Key> keys = lane.keysToLookUp(part.messages());
            if (!keys.isEmpty() && !mayQuery) {
                wake();
                return taken;
            }
            part.take(store.retries().waiting(keys));
            taken += part.messages().size();
            part = tail.next(lane, selection);
        }
        return taken;
    }

    @Override
    public void followNow() {
        Lane lane = lane();
        if (lane != null && tail.concerns(lane, selection)) {
            catchUp();
        }
    }

    @Override
    public void catchUp() {
        if (!lock.tryLock()) {
            wake(); // the running turn may not see the new step
            return;
        }
        try {
            Lane lane = lane();
            if (lane != null && !isSuspended()) {
                takeSteps(lane, false);
            }
        } catch (RuntimeException | Error e) {
            LOG.error("Subscription {} stops one of its lanes, which is claimed again when its lease expires", id, e);
            lane().close(); // it may have taken a part of the messages
            wake();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void beginTail() {
        tail.begin(lane(), store.sequenceFile());
        following = true; // if the tail ends before the next turn, this lane may have the reason
    }

    @Override
    public void joinTail() {
        waitsForTail = false;
        if (tailLoop.hasHistoryOf(connections)) {
            following = tail.join(lane(), store.sequenceFile());
        }
        wake();
    }

    @Override
    public boolean waitsForTail() {
        Lane lane = lane();
        return waitsForTail && lane != null && !lane.isClosed();
    }

    @Override
    public boolean isDecided() {
        return decided;
    }

    private int readAlone(Lane lane, Callable<?> read) throws Exception {
        long ended = tail.ended();
        if (reader.prepare(lane)) {
            read.call();
            if (isHalted()) {
                pace.pause(CLAIM_INTERVAL);
            } else if (lane() == lane) {
                planNextRead(lane, ended);
            }
            return reader.rows();
        }
        boolean hasRoom = lane.hasRoom();
        settleAndSave();
        pace.pause(hasRoom ? Duration.ZERO : settings.saveInterval());
        return 0;
    }

    /** @param ended the number of the last read of the tail before the read of the lane */
    private void planNextRead(Lane lane, long ended) {
        readsFirst = false;
        if (tailLoop.isRunning()
                && tailLoop.hasHistoryOf(connections)
                && reader.hasReadAll()
                && tail.join(lane, store.sequenceFile(), ended)) {
            pace.again();
        } else if (reader.rows() > 0) {
            pace.again();
            relay.wakeUp().messagesFound();
        } else if (lane.isQuiet()) {
            pace.idle(false);
        } else {
            pace.waiting();
        }
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
        boolean claimed = false;
        try {
            if (shared.choice().mayClaim(id.number(), this::wake)) {
                claimed = claim() && mayKeep(deliverers);
            } else {
                shared.failures().forget(id.number());
            }
        } finally {
            decided = true;
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
        following = false;
        readsFirst = false;
        if (claimed) {
            lane().onRoom(this::hasRoom);
        }
        return claimed;
    }

    private void hasRoom() {
        wake();
        tailLoop.hasRoom();
    }

    private boolean mayKeep(Consumer<Lane> deliverers) {
        if (isSuspended()) {
            releaseUnused();
            return false;
        }
        deliverers.accept(lane());
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

    /** Does what is due: settles missing ids, saves progress, renews the lease; surveys the side tables and reports for all lanes. */
    public void settleAndSave() {
        Lane lane = lane();
        if (lane.needsWriters() && writers.isDue()) {
            lane.observed(writers.lookUp(lane.waitsForWriters()));
        }
        saves.saveIfDue();
        surveyAndReport();
    }

    private void surveyAndReport() {
        Lane lane = lane();
        if (lane != null) {
            retries.examine(lane);
            tailLoop.runSharedStatements(lane.messagesWait(), jdbc);
        }
    }

    @Override
    public Optional<ProgressRow> sharedSave() {
        return saves.sharedSave();
    }

    @Override
    public void savedTogether(Save save, Optional<SubscriptionStore.Saved> saved) {
        saves.savedTogether(save, saved);
        if (saved.isEmpty() || saves.isStopped() || saves.isDraining()) {
            wake();
        }
    }

    @Override
    public void saveTogetherFailed(Save save) {
        saves.saveTogetherFailed(save);
    }

    @Override
    public boolean isQuiet() {
        Lane lane = lane();
        return lane == null || lane.isQuiet();
    }

    @Override
    public boolean saveIsDue() {
        Lane lane = lane();
        return lane != null
                && lane.saveIsDue()
                && (lane.hasChanged() || !isSuspended()); // the lease of a suspended lane ends
    }

    @Override
    public boolean needsTurn() {
        Lane lane = lane();
        return lane != null && (lane.isClosed() || lane.saveIsDue() && !lane.changesOnlyProgress());
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
        shared.choice().stop(id.number()); // after the last turn
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
        shared.choice().stop(id.number());
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
