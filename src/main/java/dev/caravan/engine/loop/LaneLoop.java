package dev.caravan.engine.loop;

import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.Suspension;
import dev.caravan.engine.store.LaneReader;
import dev.caravan.engine.store.SequenceRestartedException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/** The loop of one lane. A turn requests the lease, reads and saves, or hands the lane over to another relay. Not thread-safe. */
public final class LaneLoop {
    private static final Duration CLAIM_INTERVAL = Duration.ofMillis(200);

    private final int number;
    private final Duration saveInterval;
    private final LaneHolder holder;
    private final LaneReader reader;
    private final LaneChoice choice;
    private final Presence presence;
    private final LaneFailures failures;
    private final ReadPace pace;
    private final WakeUp wakeUp;
    private final Handover handover;
    private final LongAttempts longAttempts;
    private final RouteSuspension suspension;
    private final Consumer<Lane> deliverers;

    /** @param deliverers starts the delivery of a lane that was just claimed */
    public LaneLoop(LoopParts parts, RouteSuspension suspension, Consumer<Lane> deliverers) {
        number = parts.id().number();
        saveInterval = parts.settings().lane().saveInterval();
        holder = parts.holder();
        reader = parts.reader();
        choice = parts.choice();
        presence = parts.settings().presence();
        failures = parts.failures();
        pace = parts.pace();
        wakeUp = parts.wakeUp();
        handover = new Handover(holder, choice, number, parts.settings());
        longAttempts = new LongAttempts(parts.settings());
        this.suspension = suspension;
        this.deliverers = deliverers;
    }

    /**
     * One turn of the loop.
     *
     * @param read runs the statement that {@link LaneReader} has prepared, and saves
     * @return the number of rows read
     */
    public int turn(Callable<?> read) throws Exception {
        if (holder.lane() != null && holder.lane().isClosed()) {
            holder.drop(); // a delivery thread has closed it
        }
        if (holder.lane() == null && !claimIfAllowed()) {
            pace.pause(presence.untilNextEnded(CLAIM_INTERVAL));
            return 0;
        }
        if (handover.isDue()) {
            pace.pause(handover.step() ? CLAIM_INTERVAL : Duration.ZERO);
            return 0;
        }
        handover.cancel();
        Lane lane = holder.lane();
        long sleepNumber = wakeUp.sleepNumber();
        holder.takeRetries();
        if (reader.prepare(lane)) {
            read.call();
            if (isHalted()) {
                pace.pause(CLAIM_INTERVAL);
                return 0;
            }
            planNextTurn(lane, sleepNumber);
        } else {
            lane.awaitRoom(saveInterval);
            holder.settleAndSave();
            pace.again();
        }
        longAttempts.check(lane);
        failures.succeeded(number);
        return reader.rows();
    }

    /** Halts the subscription if the sequence does not continue after what the lane has read; throws any other failure of the read. */
    private boolean isHalted() {
        try {
            reader.throwFailure();
            return false;
        } catch (SequenceRestartedException e) {
            holder.halt(e);
            return true;
        }
    }

    /** Handles the failure of a turn: the next turn starts after a pause. */
    public void failed(RuntimeException e) {
        pace.pause(holder.dropIfOtherHistory(e) ? CLAIM_INTERVAL : failures.failed(number, e));
    }

    private boolean claimIfAllowed() {
        if (!choice.mayClaim(number)) {
            failures.forget(number);
            return false;
        }
        boolean claimed = false;
        try {
            claimed = claim();
        } finally {
            if (!claimed) {
                choice.notClaimed(number);
            }
        }
        return claimed;
    }

    private boolean claim() {
        boolean claimed = holder.claim();
        handover.reset();
        if (!claimed) {
            return false;
        }
        if (suspension.isSuspended()) {
            releaseUnused();
            return false;
        }
        startDeliverers();
        return true;
    }

    /** Releases a lane of which nothing has started. If the release fails, the lease expires; a resume claims the lane again. */
    private void releaseUnused() {
        try {
            holder.release(Suspension.STOP);
        } finally {
            holder.drop();
        }
    }

    private void startDeliverers() {
        try {
            deliverers.accept(holder.lane());
        } catch (RuntimeException | Error e) {
            holder.drop(); // with too few threads this relay would own the lane without delivering
            throw e;
        }
    }

    private void planNextTurn(Lane lane, long sleepNumber) {
        if (reader.rows() > 0) {
            pace.again();
            wakeUp.messagesFound();
        } else if (lane.isQuiet()) {
            pace.idle(sleepNumber);
        } else {
            pace.waiting();
        }
    }
}
