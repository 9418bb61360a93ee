package dev.caravan.lane;

import dev.caravan.clock.Clock;
import dev.caravan.delivery.Delivery;
import dev.caravan.delivery.Ended;
import dev.caravan.delivery.Key;
import dev.caravan.delivery.Message;
import dev.caravan.delivery.Order;
import dev.caravan.delivery.Result;
import dev.caravan.delivery.Schedule;
import dev.caravan.progress.ProgressToSave;
import dev.caravan.progress.Read;
import dev.caravan.progress.Writers;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One lane while one relay holds its lease: what was read, what is on its way, and what to save. One thread reads and
 * saves; any number of threads deliver. A lane lives as long as the lease; after it is closed nothing starts, and what
 * still ends changes nothing. Its parts each hold one kind of state, and the lock of the lane guards them all: whatever two
 * threads share is asked for here, which is why this class is long.
 */
public final class Lane {
    /** How often it is tried to store what the database refused. */
    public static final Duration REFUSED_INTERVAL = Duration.ofSeconds(30);
    /** So many changes at most are looked at one by one before the lease is renewed. */
    public static final int REFUSED_PART = RetryState.PART;

    private static final int FOLLOWING_KEYS = 20;

    private final long epoch;
    private final LaneOptions options;
    private final LaneCounters counters;
    private final Clock clock;

    private final Permission permission;
    private final Reading reading;
    private final Schedule schedule;
    private final RetryState retryState;
    private final Window window;
    private final Outcomes outcomes;
    private final SavePace pace;

    /** Who waits: waking somebody up for each message that ends would cost more than the rest of its end. */
    private boolean roomIsAwaited;

    private int awaitingStart;

    /** @param counters where what it does is counted */
    public Lane(LaneStart start, LaneOptions options, LaneCounters counters, Clock clock) {
        epoch = start.epoch();
        this.options = options;
        this.counters = counters;
        this.clock = clock;
        long now = clock.elapsed();
        permission = new Permission(start.leaseEnds());
        reading = new Reading(start.progress(), options.order(), now);
        schedule = new Schedule(
                options.order(),
                options.pipelined(),
                options.maxStarted(),
                options.retry().onDead());
        retryState = new RetryState(options, now);
        window = new Window(options, schedule, retryState);
        outcomes = new Outcomes(options.retry(), reading, retryState, counters, start.delivered());
        pace = new SavePace(options, now);
    }

    /** The epoch of the lease that this lane lives by. */
    public long epoch() {
        return epoch;
    }

    /**
     * Reads nothing above an id.
     *
     * @param id {@link Long#MAX_VALUE} unless the number of lanes is being changed
     * @return whether all up to it is read
     */
    public synchronized boolean readTo(long id) {
        return reading.readTo(id);
    }

    /** What to read next, or null while the window has no room for a batch. */
    public synchronized Read nextRead() {
        return window.next(reading, clock.elapsed());
    }

    /** Waits until there is room to read, at most for a time. */
    public synchronized void awaitRoom(Duration limit) throws InterruptedException {
        long end = clock.elapsed() + limit.toNanos();
        for (long left = limit.toNanos();
                !window.hasRoom() && !permission.isClosed() && left > 0;
                left = end - clock.elapsed()) {
            roomIsAwaited = true;
            wait(Math.max(1, left / 1_000_000));
        }
        roomIsAwaited = false;
    }

    /** Keys of a batch of which it must be known, before it is received, whether they wait in the side tables; none while nothing waits. */
    public synchronized Set<Key> keysToLookUp(Batch batch) {
        Set<Key> keys = new HashSet<>();
        if (!permission.isClosed() && retryState.holdBackKeys()) {
            for (Batch.Row row : batch.rows()) {
                if (row.message() != null && !retryState.isPending(row.message().key())) {
                    keys.add(row.message().key());
                }
            }
        }
        return keys;
    }

    /**
     * Takes in what the last read returned.
     *
     * @param waiting those of {@link #keysToLookUp(Batch)} that have messages in {@code outbox_retry}, or a dead letter that blocks
     */
    public synchronized void received(Batch batch, Set<Key> waiting) {
        if (permission.isClosed()) {
            return;
        }
        if (reading.received(batch, message -> take(message, waiting), clock.elapsed())) {
            pace.changed();
        }
        notifyAll();
    }

    private void take(Message message, Set<Key> waiting) {
        Delivery delivery = Delivery.fresh(message);
        if (waiting.contains(message.key()) || retryState.isPending(message.key())) {
            outcomes.blocked(delivery);
        } else {
            schedule.add(delivery);
        }
    }

    /** Whether nothing has to be done until a message is written, except what is done every second or more rarely. */
    public synchronized boolean isQuiet() {
        return !permission.isClosed()
                && !pace.hasChanged()
                && schedule.size() == 0
                && retryState.changeCount() == 0
                && !retryState.areInUse()
                && reading.isComplete();
    }

    /** Whether the transactions that write to the outbox should be looked up now. */
    public synchronized boolean needsWriters() {
        return reading.needsWriters();
    }

    /** Whether ids have been missing for so long that it is worth knowing which writers stand still: that look costs more. */
    public synchronized boolean waitsForWriters() {
        return reading.isLongMissing(clock.elapsed());
    }

    /** The transactions that write to the outbox, looked up after the last read. */
    public synchronized void observed(Writers writers) {
        reading.observed(writers);
    }

    /**
     * Saves less often while Postgres cannot remove old versions of the row, as each save leaves one behind: the pauses are a
     * part of the time that it has not been able to.
     */
    public synchronized void saveLessOften(Duration horizon) {
        pace.spare(horizon);
    }

    /** Whether progress has to be saved or the lease renewed now. */
    public synchronized boolean saveIsDue() {
        long now = clock.elapsed();
        return pace.saveIsDue(retryState.refusedAreDue(now), retryState.changeCount(), now);
    }

    /** What to save now; what happens after this call is for the next save. */
    public synchronized Save toSave() {
        long now = clock.elapsed();
        List<Change> changes = retryState.toSave(now);
        ProgressToSave saved = reading.toSave();
        retryState.heldUpIds().forEach(saved.gaps()::add);
        pace.saves(retryState.isSavedInParts(), now);
        return new Save(saved, changes, outcomes.deliveredCount() - retryState.heldUpRemovals());
    }

    /**
     * What {@link #toSave()} returned is saved.
     *
     * @param freed keys whose next message was given a time by this save, as far as is known; others are found when they are due
     */
    public synchronized void saved(Save save, Collection<Key> freed) {
        retryState.saved(save.changes(), freed);
        save.changes().stream().filter(Change.Dead.class::isInstance).forEach(dead -> counters.storedDeadLetter());
        notifyAll();
    }

    /** What {@link #toSave()} returned is not saved: it is part of the next save. */
    public synchronized void saveFailed(Save save) {
        retryState.saveFailed(save.changes());
        reading.saveFailed(save.progress());
        pace.changed();
    }

    /**
     * The database refuses the changes of some messages because of what they hold. They are kept apart and tried again later, a
     * part of them at a time; until then these messages stay in the saved gaps, or in {@code outbox_retry}.
     *
     * @param messages those refused of the changes that were examined
     * @param examined how many changes were examined, the first ones of the last {@link #toSave()}, which has failed. The next
     *     save takes those of them that are not refused, and later saves take the others part by part
     * @return the messages whose change was not refused before
     */
    public synchronized List<Long> setAside(Set<Long> messages, int examined) {
        pace.changed();
        return retryState.setAside(messages, examined, clock.elapsed());
    }

    /** Whether the last {@link #toSave()} was only a part, because the database refused some changes before. */
    public synchronized boolean isSavedInParts() {
        return retryState.isSavedInParts();
    }

    /** Whether to tell how this lane is doing now: as often as an idle lane renews its lease. */
    public synchronized boolean reportIsDue() {
        return pace.reportIsDue(clock.elapsed());
    }

    /** How this lane is doing, and has been since the last report. */
    public synchronized LaneReport report() {
        long now = clock.elapsed();
        pace.reports(now);
        return new LaneReport(schedule.size(), outcomes.takeLatency(), schedule.outage(now));
    }

    /** Whether the side tables should be looked at now; always before the first read. */
    public synchronized boolean surveyIsDue() {
        return retryState.surveyIsDue(clock.elapsed());
    }

    /** Whether messages waited in the side tables when these were last looked at, or came there since. */
    public synchronized boolean messagesWait() {
        return retryState.areInUse();
    }

    /** Whether the side tables hold anything, looked up after the last save. */
    public synchronized void surveyed(RetrySurvey survey) {
        retryState.surveyed(survey, clock.elapsed());
        notifyAll();
    }

    /** How many messages of {@code outbox_retry} whose time has come should be read now; 0 for none. */
    public synchronized int dueLimit() {
        boolean isDue = !permission.isClosed() && retryState.dueReadIsDue(clock.elapsed());
        return isDue && !reading.mayOvertakeGaps() ? window.roomForRetries() : 0;
    }

    /** Ids of messages of {@code outbox_retry} that are not to be read: they are taken already. */
    public synchronized long[] takenFromRetry() {
        return retryState.taken();
    }

    /**
     * Takes in messages of {@code outbox_retry} whose time has come; those that are taken already are left out. In order
     * {@code key} one that an earlier one of its key has come before meanwhile waits behind that again.
     */
    public synchronized void receivedDue(Collection<DueMessage> due) {
        retryState.dueRead(clock.elapsed());
        if (!permission.isClosed()) {
            for (DueMessage message : due) {
                if (!retryState.leaveBehindRefused(message.delivery()) && retryState.take(message.delivery())) {
                    receivedDue(message);
                }
            }
        }
        notifyAll();
    }

    private void receivedDue(DueMessage due) {
        boolean isBehind = due.isBehind() && options.order() == Order.key;
        if (isBehind || retryState.isBehindUnsaved(due.delivery())) {
            outcomes.blocked(due.delivery());
            pace.changed();
        } else {
            schedule.add(due.delivery());
        }
    }

    /**
     * Keys whose blocked messages may follow now, because what they waited for is over. Their first one is found when it is due
     * in any case; this is for speed.
     */
    public synchronized List<Key> readyToFollow() {
        if (permission.isClosed()
                || !window.hasRoom()
                || schedule.availability().isUnavailable()
                || reading.mayOvertakeGaps()) {
            return List.of();
        }
        return retryState.takeUnblocked(FOLLOWING_KEYS);
    }

    /**
     * Takes in messages of keys that may follow, for each key those with the lowest ids. Those behind an earlier message that has
     * failed since they were asked for wait again.
     */
    public synchronized void receivedFollowers(Collection<Delivery> followers) {
        if (!permission.isClosed()) {
            followers.stream()
                    .filter(follower -> !retryState.isBehindUnsaved(follower))
                    .filter(retryState::take)
                    .forEach(schedule::add);
        }
        notifyAll();
    }

    /** The lease holds until a new time of the clock. */
    public synchronized void renewed(long newLeaseEnds) {
        permission.renewed(newLeaseEnds);
        notifyAll();
    }

    /** Waits for the next message to start; null when the lane is closed. */
    public synchronized Delivery next() throws InterruptedException {
        while (!permission.isClosed()) {
            Delivery delivery = nextNow();
            if (delivery != null) {
                return delivery;
            }
            long now = clock.elapsed();
            long nanos = permission.mayStart(now) ? schedule.untilNextProbe(now) : Long.MAX_VALUE;
            awaitingStart++;
            try {
                wait(nanos == Long.MAX_VALUE ? 0 : nanos / 1_000_000 + 1);
            } finally {
                awaitingStart--;
            }
        }
        return null;
    }

    /** The next message to start, or null if none may start at this moment. */
    public synchronized Delivery nextNow() {
        long now = clock.elapsedAtLeast(); // awaitLease looks at the whole time before the message is sent
        return permission.mayStart(now) ? schedule.next(now, freshBelow()) : null;
    }

    /**
     * To be asked for a message that was handed out, just before it is sent. Waits for the renewal if the lease has ended
     * meanwhile: process or machine may have stood still, and another relay may have taken over.
     *
     * @return false when the lane is closed; the message is not to be sent then
     */
    public boolean awaitLease() throws InterruptedException {
        return !permission.isClosed() && leaseHolds() || awaitRenewal();
    }

    private synchronized boolean awaitRenewal() throws InterruptedException {
        while (!permission.isClosed() && !leaseHolds()) {
            wait();
        }
        return !permission.isClosed();
    }

    private boolean leaseHolds() {
        return permission.leaseHolds(clock.elapsed());
    }

    /** In order strict nothing fresh starts above a missing id, nor above a message that waits for another attempt or is dead. */
    private long freshBelow() {
        if (options.order() != Order.strict) {
            return Long.MAX_VALUE;
        }
        return Math.min(retryState.lowest(), reading.lowestMissing());
    }

    /** An attempt has ended. */
    public synchronized void finished(Delivery delivery, Result result) {
        if (permission.isClosed()) {
            return;
        }
        counters.ended(result.outcome());
        long now = schedule.needsTime(result) ? clock.elapsed() : 0;
        Ended ended = schedule.finished(delivery, result, now);
        if (!ended.isEmpty()) {
            outcomes.ended(ended);
            pace.changed();
        }
        boolean somebodyCanGoOn = roomIsAwaited && window.hasRoom() || awaitingStart > 0 && schedule.hasReady();
        if (somebodyCanGoOn || schedule.started() == 0) {
            notifyAll();
        }
    }

    /** How this lane is doing now. */
    public synchronized LaneSnapshot snapshot() {
        long now = clock.elapsed();
        return new LaneSnapshot(
                epoch,
                !permission.isClosed() && permission.leaseHolds(now),
                schedule.size(),
                reading.missingCount(),
                reading.oldestMissing(now),
                schedule.outage(now));
    }

    /** Whether the destination is considered unavailable. */
    public boolean destinationIsUnavailable() {
        return schedule.availability().isUnavailable();
    }

    /** How often many messages failed in a row while the destination took others, as far as is known at this moment. */
    public int refutedSuspicions() {
        return schedule.availability().refutations();
    }

    /** Starts nothing more until {@link #resume}. */
    public synchronized void suspend(Suspension reason) {
        permission.suspend(reason);
    }

    /** Takes a reason back; the lane goes on when none is left. */
    public synchronized void resume(Suspension reason) {
        if (permission.resume(reason)) {
            notifyAll();
        }
    }

    /** Waits until nothing is on its way, at most for a time; returns whether that is so. */
    public synchronized boolean awaitAttempts(Duration limit) throws InterruptedException {
        long end = clock.elapsed() + limit.toNanos();
        for (long left = limit.toNanos(); schedule.started() > 0 && left > 0; left = end - clock.elapsed()) {
            wait(Math.max(1, left / 1_000_000));
        }
        return schedule.started() == 0;
    }

    /** Ends this lane: nothing starts any more, and what still ends is not counted. */
    public synchronized void close() {
        permission.close();
        notifyAll();
    }

    public synchronized boolean isClosed() {
        return permission.isClosed();
    }
}
