package dev.caravan.lane;

import dev.caravan.clock.Clock;
import dev.caravan.delivery.Availability;
import dev.caravan.delivery.Delivery;
import dev.caravan.delivery.Ended;
import dev.caravan.delivery.Key;
import dev.caravan.delivery.Message;
import dev.caravan.delivery.Order;
import dev.caravan.delivery.Result;
import dev.caravan.delivery.Schedule;
import dev.caravan.progress.IdRanges;
import dev.caravan.progress.Progress;
import dev.caravan.progress.ProgressToSave;
import dev.caravan.progress.Read;
import dev.caravan.progress.SavedProgress;
import dev.caravan.progress.Settling;
import dev.caravan.progress.Writers;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.HdrHistogram.Histogram;

/**
 * One lane while one relay holds its lease: what was read, what is on its way, and what to save. One thread reads and
 * saves; any number of threads deliver. A lane lives as long as the lease; after it is closed nothing starts, and what
 * still ends changes nothing.
 */
public final class Lane {
    /** How often it is tried to store what the database refused. */
    public static final Duration REFUSED_INTERVAL = Duration.ofSeconds(30);
    /** So many changes at most are looked at one by one before the lease is renewed. */
    public static final int REFUSED_PART = RetryState.PART;

    /** So many messages that the database refused take no room: one must not stop a lane whose window is one batch. */
    private static final int FREE_REFUSALS = 10;

    private static final int SPARING_PART = 10;
    /** Messages may wait for what is saved about an earlier one of their key. */
    private static final long SPARING_CHANGES_NANOS = 1_000_000_000L;

    private static final int SPARING_REPORTS = 20;

    private static final int FOLLOWING_KEYS = 20;
    /** At most one message in so many of the window comes from {@code outbox_retry} for another attempt: others need the room. */
    private static final int RETRY_SHARE = 4;

    private static final Duration LONG_MISSING = Duration.ofSeconds(1);

    private static final int LATENCY_DIGITS = 2;

    private final long epoch;
    private final LaneOptions options;
    private final LaneStats stats;
    private final Clock clock;

    private final Progress progress;
    private final Settling settling = new Settling(LONG_MISSING.toNanos());
    private final Schedule schedule;
    private final RetryState retryState;
    private final Histogram latencies = new Histogram(LATENCY_DIGITS);

    /** Up to this id of the saved progress its gaps are not read yet; 0 when they are. */
    private long gapsUnreadTo;

    /** Who waits: waking somebody up for each message that ends would cost more than the rest of its end. */
    private boolean roomIsAwaited;

    private int awaitingStart;

    private volatile boolean closed;
    private final Set<Suspension> suspensions = EnumSet.noneOf(Suspension.class);
    private boolean changed;
    private volatile long leaseEnds;
    private long savedAt;
    /** The shortest pause between two saves while old versions of the row stay, in nanoseconds. */
    private long sparing;

    private long reportedAt;
    private long delivered;

    /**
     * @param stats where what it does is counted
     */
    public Lane(LaneStart start, LaneOptions options, LaneStats stats, Clock clock) {
        epoch = start.epoch();
        leaseEnds = start.leaseEnds();
        delivered = start.delivered();
        this.options = options;
        this.stats = stats;
        this.clock = clock;
        SavedProgress saved = start.progress();
        progress = new Progress(saved);
        settling.suspect(new IdRanges(saved.gaps()), clock.elapsed());
        gapsUnreadTo = saved.gaps().isEmpty() ? 0 : saved.position();
        schedule = new Schedule(
                options.order(),
                options.pipelined(),
                options.maxStarted(),
                options.retry().onDead());
        savedAt = clock.elapsed();
        reportedAt = savedAt;
        retryState = new RetryState(options, savedAt);
    }

    /** The epoch of the lease that this lane lives by. */
    public long epoch() {
        return epoch;
    }

    /** What to read next, or null while the window has no room for a batch. */
    public synchronized Read nextRead() {
        if (hasRoom()) {
            return read(
                    progress.position(),
                    progress.missing(),
                    Long.MAX_VALUE,
                    options.batchSize(),
                    Math.min(options.batchBytes(), options.windowBytes() - schedule.bytes()));
        }
        // In order strict a full window may wait for ids missing below it, and would stay full for ever. These may
        // exceed the window by a batch; then one at a time, so by no more than the transactions that were open side
        // by side.
        long waiting = schedule.firstInStrictOrder();
        IdRanges awaited = progress.missing().upTo(waiting);
        int limit = Math.min(options.batchSize(), options.window() + options.batchSize() - schedule.size());
        long bytes = Math.min(options.batchBytes(), options.windowBytes() + options.batchBytes() - schedule.bytes());
        return awaited.isEmpty()
                ? null
                : read(Long.MAX_VALUE, awaited, waiting, Math.max(1, limit), Math.max(1, bytes));
    }

    private Read read(long position, IdRanges missing, long upTo, int limit, long bytes) {
        settling.readStarts();
        return new Read(position, missing.toMultirange(), settling.openTransactions(), upTo, limit, bytes);
    }

    private boolean hasRoom() {
        int heldUp = Math.max(0, retryState.heldUpCount() - FREE_REFUSALS);
        return schedule.size() + heldUp + options.batchSize() <= window()
                && schedule.bytes() + retryState.changeBytes() < options.windowBytes();
    }

    /**
     * How many messages may be taken. While only failures say that the destination is unavailable, each probe that failed lets
     * twice as many batches more be read: what gets through may lie behind the messages that fail. Their bytes are bounded all
     * the same.
     */
    private long window() {
        int probes = schedule.availability().inferredProbes();
        return probes == 0
                ? options.window()
                : options.window() + ((long) options.batchSize() << Math.min(probes - 1, 20));
    }

    /** Waits until there is room to read, at most for a time. */
    public synchronized void awaitRoom(Duration limit) throws InterruptedException {
        long end = clock.elapsed() + limit.toNanos();
        for (long left = limit.toNanos(); !hasRoom() && !closed && left > 0; left = end - clock.elapsed()) {
            roomIsAwaited = true;
            wait(Math.max(1, left / 1_000_000));
        }
        roomIsAwaited = false;
    }

    /** Keys of a batch of which it must be known, before it is received, whether they wait in the side tables; none while nothing waits. */
    public synchronized Set<Key> keysToLookUp(Batch batch) {
        Set<Key> keys = new HashSet<>();
        if (!closed && retryState.holdBackKeys()) {
            for (Batch.Row row : batch.rows()) {
                if (row.message() != null
                        && !retryState.isUnderWay(row.message().key())) {
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
        if (closed) {
            return;
        }
        if (!batch.ended().isEmpty()) {
            progress.lookUpAgain(settling.ended(batch.ended()));
            return; // what is missing among the rows may come before them
        }
        IdRanges skipped = new IdRanges();
        for (Batch.Row row : batch.rows()) {
            if (row.id() <= progress.position()) {
                settling.appeared(row.id());
            }
            skipped.addAll(progress.take(row.id()));
            if (row.message() == null) {
                progress.delivered(row.id());
            } else {
                take(row.message(), waiting);
            }
        }
        changed |= !batch.rows().isEmpty();
        long coveredTo = batch.coveredTo();
        if (coveredTo >= gapsUnreadTo) {
            gapsUnreadTo = 0;
        }
        settle(settling.readEnded(coveredTo));
        if (options.order() != Order.strict) { // strict waits at a missing id, so that there are never many
            progress.leaveOut(settling.leaveOut(coveredTo, clock.elapsed()));
        }
        settling.suspect(skipped, skipped.isEmpty() ? 0 : clock.elapsed());
        notifyAll();
    }

    private void take(Message message, Set<Key> waiting) {
        Delivery delivery = Delivery.fresh(message);
        if (waiting.contains(message.key()) || retryState.isUnderWay(message.key())) {
            leave(new Change.Block(delivery));
        } else {
            schedule.add(delivery);
        }
    }

    private void settle(IdRanges proved) {
        if (!proved.isEmpty()) {
            progress.settle(proved);
            changed = true;
        }
    }

    /** Whether nothing has to be done until a message is written, except what is done every second or more rarely. */
    public synchronized boolean isQuiet() {
        return !closed
                && !changed
                && schedule.size() == 0
                && retryState.changeCount() == 0
                && !retryState.areInUse()
                && progress.missing().isEmpty()
                && progress.leftOut().isEmpty()
                && !settling.needsWriters();
    }

    /** Whether the transactions that write to the outbox should be looked up now. */
    public synchronized boolean needsWriters() {
        return settling.needsWriters();
    }

    /** Whether ids have been missing for so long that it is worth knowing which writers stand still: that look costs more. */
    public synchronized boolean waitsForWriters() {
        OptionalLong oldest = settling.oldest();
        return oldest.isPresent() && clock.elapsed() - oldest.getAsLong() >= LONG_MISSING.toNanos();
    }

    /** The transactions that write to the outbox, looked up after the last read. */
    public synchronized void observed(Writers writers) {
        progress.lookUpAgain(settling.observe(writers));
    }

    /**
     * Saves less often while Postgres cannot remove old versions of the row, as each save leaves one behind: the pauses are a
     * part of the time that it has not been able to.
     */
    public synchronized void saveSparingly(Duration horizon) {
        sparing = Math.min(
                horizon.toNanos() / SPARING_PART, options.longestSparing().toNanos());
    }

    /** Whether progress has to be saved or the lease renewed now. */
    public synchronized boolean saveIsDue() {
        long now = clock.elapsed();
        long since = now - savedAt;
        long pause = retryState.changeCount() == 0 ? sparing : Math.min(sparing, SPARING_CHANGES_NANOS);
        return (changed || retryState.refusedAreDue(now))
                        && since >= Math.max(options.saveInterval().toNanos(), pause)
                || retryState.changeCount() >= options.batchSize()
                || since >= Math.max(options.leaseRenewal().toNanos(), sparing);
    }

    /** What to save now; what happens after this call is for the next save. */
    public synchronized Acknowledgement toSave() {
        savedAt = clock.elapsed();
        List<Change> changes = retryState.toSave(savedAt);
        ProgressToSave saved = progress.toSave();
        retryState.heldUpIds().forEach(saved.gaps()::add);
        changed = retryState.isSavedInParts();
        return new Acknowledgement(saved, changes, delivered - retryState.heldUpRemovals());
    }

    /**
     * What {@link #toSave()} returned is saved.
     *
     * @param freed keys whose next message was given a time by this save, as far as is known; others are found when they are due
     */
    public synchronized void saved(Acknowledgement save, Collection<Key> freed) {
        retryState.saved(save.changes(), freed);
        save.changes().stream().filter(Change.Dead.class::isInstance).forEach(dead -> stats.storedDead());
        notifyAll();
    }

    /** What {@link #toSave()} returned is not saved: it is part of the next save. */
    public synchronized void saveFailed(Acknowledgement save) {
        retryState.saveFailed(save.changes());
        progress.saveFailed(save.progress());
        changed = true;
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
        changed = true;
        return retryState.setAside(messages, examined, clock.elapsed());
    }

    /** Whether the last {@link #toSave()} was only a part, because the database refused some changes before. */
    public synchronized boolean isSavedInParts() {
        return retryState.isSavedInParts();
    }

    /** Whether to tell how this lane is doing now: as often as an idle lane renews its lease. */
    public synchronized boolean reportIsDue() {
        return clock.elapsed() - reportedAt >= options.leaseRenewal().toNanos() + SPARING_REPORTS * sparing;
    }

    /** How this lane is doing, and has been since the last report. */
    public synchronized LaneReport report() {
        reportedAt = clock.elapsed();
        return new LaneReport(schedule.size(), takeLatency(), schedule.away(reportedAt));
    }

    /** The time in milliseconds that 99 % took at most since the last time that this was asked; empty if nothing was delivered. */
    private OptionalInt takeLatency() {
        if (latencies.getTotalCount() == 0) {
            return OptionalInt.empty();
        }
        long millis = latencies.getValueAtPercentile(99);
        latencies.reset();
        return OptionalInt.of((int) Math.min(millis, Integer.MAX_VALUE));
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
        if (closed || !retryState.dueReadIsDue(clock.elapsed()) || mayOvertakeGaps()) {
            return 0;
        }
        boolean away = schedule.availability().isAway();
        if (hasRoom() && (!away || schedule.size() == 0)) {
            int most = away ? Availability.TEST_MESSAGES : Math.max(1, options.window() / RETRY_SHARE);
            int limit = Math.min(options.batchSize(), most - schedule.dueRetries());
            if (limit > 0) {
                return limit;
            }
        }
        // In order strict all that is in the schedule waits for the first in outbox_retry: without it, for ever.
        return retryState.lowestIsThere() ? 1 : 0;
    }

    /** Ids of messages of {@code outbox_retry} that are not to be read: they are taken already. */
    public synchronized long[] takenFromRetry() {
        return retryState.taken();
    }

    /**
     * Before the gaps of the saved progress are read, an earlier message of the same key may be there: one that has not failed,
     * but stood behind one that did, must wait for it.
     */
    private boolean mayOvertakeGaps() {
        return gapsUnreadTo > 0 && options.order() == Order.key;
    }

    /**
     * Takes in messages of {@code outbox_retry} whose time has come; those that are taken already are left out. In order
     * {@code key} one that an earlier one of its key has come before meanwhile waits behind that again.
     */
    public synchronized void receivedDue(Collection<DueMessage> due) {
        retryState.dueRead(clock.elapsed());
        if (!closed) {
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
            leave(new Change.Block(due.delivery()));
        } else {
            schedule.add(due.delivery());
        }
    }

    /**
     * Keys whose blocked messages may follow now, because what they waited for is over. Their first one is found when it is due
     * in any case; this is for speed.
     */
    public synchronized List<Key> readyToFollow() {
        if (closed || !hasRoom() || schedule.availability().isAway() || mayOvertakeGaps()) {
            return List.of();
        }
        return retryState.takeUnblocked(FOLLOWING_KEYS);
    }

    /**
     * Takes in messages of keys that may follow, for each key those with the lowest ids. Those behind an earlier message that has
     * failed since they were asked for wait again.
     */
    public synchronized void receivedFollowers(Collection<Delivery> followers) {
        if (!closed) {
            followers.stream()
                    .filter(follower -> !retryState.isBehindUnsaved(follower))
                    .filter(retryState::take)
                    .forEach(schedule::add);
        }
        notifyAll();
    }

    /** The lease holds until a new time of the clock. */
    public synchronized void renewed(long newLeaseEnds) {
        leaseEnds = newLeaseEnds;
        notifyAll();
    }

    /** Waits for the next message to start; null when the lane is closed. */
    public synchronized Delivery next() throws InterruptedException {
        while (!closed) {
            Delivery delivery = nextNow();
            if (delivery != null) {
                return delivery;
            }
            long now = clock.elapsed();
            long nanos = mayStart(now) ? schedule.untilNextProbe(now) : Long.MAX_VALUE;
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
        return mayStart(now) ? schedule.next(now, freshBelow()) : null;
    }

    private boolean mayStart(long now) {
        return !closed && suspensions.isEmpty() && leaseEnds - now > 0;
    }

    /**
     * To be asked for a message that was handed out, just before it is sent. Waits for the renewal if the lease has ended
     * meanwhile: process or machine may have stood still, and another relay may have taken over.
     *
     * @return false when the lane is closed; the message is not to be sent then
     */
    public boolean awaitLease() throws InterruptedException {
        return !closed && leaseHolds() || awaitRenewal();
    }

    private synchronized boolean awaitRenewal() throws InterruptedException {
        while (!closed && !leaseHolds()) {
            wait();
        }
        return !closed;
    }

    private boolean leaseHolds() {
        return leaseEnds - clock.elapsed() > 0;
    }

    /** In order strict nothing fresh starts above a missing id, nor above a message that waits for another attempt or is dead. */
    private long freshBelow() {
        if (options.order() != Order.strict) {
            return Long.MAX_VALUE;
        }
        return Math.min(retryState.lowest(), progress.missing().lowest());
    }

    /** An attempt has ended. */
    public synchronized void finished(Delivery delivery, Result result) {
        if (closed) {
            return;
        }
        stats.ended(result.outcome());
        long now = schedule.needsTime(result) ? clock.elapsed() : 0;
        Ended ended = schedule.finished(delivery, result, now);
        ended.delivered().forEach(this::delivered);
        ended.dead().forEach(this::dead);
        if (ended.failed() != null) {
            failed(ended.failed());
        }
        ended.blocked().forEach(blocked -> leave(new Change.Block(blocked)));
        boolean somebodyCanGoOn = roomIsAwaited && hasRoom() || awaitingStart > 0 && schedule.hasReady();
        if (somebodyCanGoOn || schedule.started() == 0) {
            notifyAll();
        }
    }

    private void delivered(Delivery delivery) {
        delivered++;
        latencies.recordValue(stats.delivered(delivery.message()));
        if (delivery.isStored()) {
            leave(new Change.Remove(delivery));
        } else {
            progress.delivered(delivery.message().id());
            changed = true;
        }
    }

    private void dead(Delivery delivery) {
        leave(new Change.Dead(delivery, delivery.failedAttempts() + 1, delivery.failure()));
    }

    private void failed(Delivery delivery) {
        int attempts = delivery.failedAttempts() + (delivery.isCounted() ? 1 : 0);
        if (delivery.isCounted() && options.retry().isExhausted(attempts, delivery.failingFor())) {
            dead(delivery);
        } else {
            Duration delay = options.retry().backoff().after(Math.max(1, attempts));
            leave(new Change.Retry(delivery, attempts, delay, delivery.failure()));
        }
    }

    /** The side tables take over from the progress, in one save. */
    private void leave(Change change) {
        retryState.change(change);
        if (!change.delivery().isStored()) {
            progress.delivered(change.delivery().message().id());
        }
        changed = true;
    }

    /** How this lane is doing now. */
    public synchronized LaneState state() {
        long now = clock.elapsed();
        return new LaneState(
                epoch,
                !closed && leaseEnds - now > 0,
                schedule.size(),
                retryState.areInUse(),
                progress.missing().count() + progress.leftOut().count(),
                Duration.ofNanos(settling.oldest().stream()
                        .map(since -> now - since)
                        .findFirst()
                        .orElse(0)),
                schedule.away(now));
    }

    /** Whether the destination is away, as far as is known at this moment. */
    public boolean destinationIsAway() {
        return schedule.availability().isAway();
    }

    /** How often many messages failed in a row while the destination took others, as far as is known at this moment. */
    public int refutedSuspicions() {
        return schedule.availability().refutations();
    }

    /** Starts nothing more until {@link #resume}. */
    public synchronized void suspend(Suspension reason) {
        suspensions.add(reason);
    }

    /** Takes a reason back; the lane goes on when none is left. */
    public synchronized void resume(Suspension reason) {
        if (suspensions.remove(reason)) {
            notifyAll();
        }
    }

    /** Waits until nothing is on its way, at most for a time; returns whether that is so. */
    public synchronized boolean awaitNothingOnItsWay(Duration limit) throws InterruptedException {
        long end = clock.elapsed() + limit.toNanos();
        for (long left = limit.toNanos(); schedule.started() > 0 && left > 0; left = end - clock.elapsed()) {
            wait(Math.max(1, left / 1_000_000));
        }
        return schedule.started() == 0;
    }

    /** Ends this lane: nothing starts any more, and what still ends is not counted. */
    public synchronized void close() {
        closed = true;
        notifyAll();
    }

    public synchronized boolean isClosed() {
        return closed;
    }
}
