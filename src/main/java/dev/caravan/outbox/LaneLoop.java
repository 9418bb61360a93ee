package dev.caravan.outbox;

import dev.caravan.lane.Lane;
import dev.caravan.lane.Suspension;
import dev.caravan.loop.Handover;
import dev.caravan.loop.LaneChoice;
import dev.caravan.loop.LaneFailures;
import dev.caravan.loop.LaneHolder;
import dev.caravan.loop.ReadPace;
import dev.caravan.loop.RouteSuspension;
import dev.caravan.loop.WakeUp;
import dev.caravan.store.LaneReader;
import java.time.Duration;
import java.util.concurrent.Callable;

/** The turns of the loop of one lane: takes the lease if it is free, reads and saves, or gives the lane to another relay. */
final class LaneLoop {
    private static final Duration CLAIM_INTERVAL = Duration.ofMillis(200);

    private final int number;
    private final Duration saveInterval;
    private final LaneHolder holder;
    private final LaneReader reader;
    private final LaneChoice choice;
    private final LaneFailures failures;
    private final ReadPace pace;
    private final WakeUp wakeUp;
    private final Handover handover;
    private final RouteSuspension suspension;
    private final Deliverers deliverers;

    LaneLoop(LaneParts parts, RouteSuspension suspension, Deliverers deliverers) {
        number = parts.id().number();
        saveInterval = parts.settings().lane().saveInterval();
        holder = parts.holder();
        reader = parts.reader();
        choice = parts.choice();
        failures = parts.failures();
        pace = parts.pace();
        wakeUp = parts.endpoint().getComponent().wakeUp();
        handover = new Handover(holder, choice, number, parts.settings());
        this.suspension = suspension;
        this.deliverers = deliverers;
    }

    /**
     * One turn of the loop.
     *
     * @param read reads what {@link LaneReader} has prepared, and saves
     * @return how much there was to do, so that an idle lane is polled less often
     */
    int turn(Callable<?> read) throws Exception {
        if (holder.lane() != null && holder.lane().isClosed()) {
            holder.drop(); // a thread that delivered has given it up
        }
        if (holder.lane() == null && !take()) {
            pace.pause(CLAIM_INTERVAL);
            return 0;
        }
        if (handover.isDue()) {
            pace.pause(handover.step() ? CLAIM_INTERVAL : Duration.ZERO);
            return 0;
        }
        handover.cancel();
        Lane lane = holder.lane();
        long nap = wakeUp.nap();
        holder.takeRetries();
        if (reader.prepare(lane)) {
            read.call();
            reader.throwFailure();
            hasRead(lane, nap);
        } else {
            lane.awaitRoom(saveInterval);
            holder.settleAndSave();
            pace.again();
        }
        failures.end(number);
        return reader.rows();
    }

    /** A turn has failed: the next one comes after a pause. */
    void failed(RuntimeException e) {
        pace.pause(holder.dropIfOtherHistory(e) ? CLAIM_INTERVAL : failures.begin(number, e));
    }

    private boolean take() {
        if (choice.mayClaim(number)) {
            return claim();
        }
        failures.leave(number);
        return false;
    }

    private boolean claim() {
        boolean claimed = holder.claim();
        handover.forget();
        if (!claimed) {
            return false;
        }
        if (suspension.isSuspended()) {
            giveBack();
            return false;
        }
        startDeliverers();
        return true;
    }

    /** Nothing of the lane has started. If it is not released its lease ends by itself: a resume meanwhile claims it anew. */
    private void giveBack() {
        try {
            holder.release(Suspension.STOP);
        } finally {
            holder.drop();
        }
    }

    private void startDeliverers() {
        try {
            deliverers.deliver(holder.lane());
        } catch (RuntimeException | Error e) {
            holder.drop(); // with fewer threads, or none, it would be held and not worked
            throw e;
        }
    }

    private void hasRead(Lane lane, long nap) {
        if (reader.rows() > 0) {
            pace.again();
            wakeUp.flowed();
        } else if (lane.isQuiet()) {
            pace.idle(nap);
        } else {
            pace.waiting();
        }
    }
}
