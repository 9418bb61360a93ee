package dev.caravan.engine.lane;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.ProgressToSave;
import dev.caravan.engine.progress.Read;
import dev.caravan.engine.progress.Writers;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Ended;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.schedule.Outcome;
import dev.caravan.engine.schedule.Result;
import dev.caravan.engine.schedule.Schedule;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/**
 * One lane while one relay owns it: what is read, in flight, and to be saved. One thread reads and saves; any number of threads
 * deliver, and any thread surveys the side tables. A lane exists as long as its lease. After it is closed, no message starts, and the
 * end of an attempt has no effect.
 * Each part holds one kind of state, and the lock of the lane guards all parts. The class is long because every access to shared
 * state is here.
 */
public final class Lane {
    /** The interval for storing refused changes again. */
    public static final Duration REFUSED_INTERVAL = Duration.ofSeconds(30);
    /** The maximum number of changes that are examined one by one before the lease is renewed. */
    public static final int REFUSED_PART = RetryState.PART;

    private static final int FOLLOWING_KEYS = 20;

    private final long epoch;
    private final LaneSettings options;
    private final LaneCounters counters;
    private final Clock clock;

    private final Supplier<ProvenSession> presence;
    private final Permission permission;
    private final Reading reading;
    private final Schedule schedule;
    private final RetryState retryState;
    private final Window window;
    private final Outcomes outcomes;
    private final SavePace pace;
    private final Starts starts;
    private final RateShare rate;
    private final LaneThreads threads;

    /** Whether the loop waits for room. Calling it after each message would take longer than the rest of the work at its end. */
    private boolean roomIsAwaited;

    private Runnable roomListener = () -> {};

    /**
     * @param presence the session that now shows that this relay is running
     * @param rate how many attempts may start
     */
    public Lane(
            LaneStart start,
            LaneSettings options,
            LaneCounters counters,
            Clock clock,
            Supplier<ProvenSession> presence,
            RateShare rate) {
        this.rate = rate;
        epoch = start.epoch();
        this.presence = presence;
        this.options = options;
        this.counters = counters;
        this.clock = clock;
        long now = clock.elapsed();
        permission = new Permission(start.leaseEnds(), start.session());
        reading = new Reading(start.progress(), options.order(), now);
        schedule = new Schedule(
                options.order(),
                options.pipelined(),
                options.maxStarted(),
                options.retry().onDead());
        retryState = new RetryState(options);
        window = new Window(options, schedule, retryState);
        outcomes = new Outcomes(options.retry(), reading, retryState, counters, start.delivered());
        pace = new SavePace(options, now);
        starts = new Starts(options, permission, rate, schedule, window, retryState, reading);
        threads = new LaneThreads(this, starts, options, clock);
    }

    /** The epoch of its lease. */
    public long epoch() {
        return epoch;
    }

    /** The highest id read. */
    public synchronized long position() {
        return reading.position();
    }

    /**
     * Limits reads to ids up to the barrier.
     *
     * @param id {@link Long#MAX_VALUE} unless the number of lanes is being changed
     * @return whether all ids up to it are read
     */
    public synchronized boolean readTo(long id) {
        return reading.readTo(id);
    }

    /** The parameters of the next read, or null while the window has no room for a batch. */
    public synchronized Read nextRead() {
        return window.next(reading, clock.elapsed());
    }

    /** Sets what is called when the window has room again after {@link #hasRoom()} returned false. It must return quickly. */
    public synchronized void onRoom(Runnable listener) {
        roomListener = listener;
    }

    /** Whether the window has room for a batch. If not, the listener is called once when it has. */
    public synchronized boolean hasRoom() {
        boolean hasRoom = !permission.isClosed() && window.hasRoom();
        roomIsAwaited = !hasRoom;
        return hasRoom;
    }

    /** Whether the reads of other lanes may be shared: no read may be limited, and a full window must not wait for a missing id. */
    public synchronized boolean mayFollow() {
        return permission.mayTake() && !reading.isLimited() && (options.order() != Order.strict || window.hasRoom());
    }

    /** Counts all ids up to this one as missing that are above the position: no read has returned them. */
    synchronized void skipTo(long id) {
        reading.skipTo(id);
    }

    /** The missing ids, as a new set. */
    synchronized IdRanges missing() {
        return reading.allMissing();
    }

    /** From now on this lane takes the steps of the tail, which settles its missing ids. */
    synchronized void follow(IdRanges leftOut) {
        reading.follow(leftOut);
    }

    /** From now on this lane reads for itself. */
    synchronized void readAlone() {
        reading.readAlone(clock.elapsed());
    }

    /**
     * Takes the next messages of a step of the tail, except those that this lane has taken.
     *
     * @param ids the ids of these messages, and of those between them that the lane does not deliver
     * @param isWhole whether these are the last messages of the step
     * @param waiting those of {@link #keysToLookUp} that have messages in {@code outbox_retry}, or a dead letter that blocks
     */
    synchronized void follow(TailStep step, IdRanges ids, List<Message> messages, boolean isWhole, Set<Key> waiting) {
        if (permission.isClosed()) {
            return;
        }
        reading.follow(step, ids, messages, message -> take(message, waiting));
        if (isWhole) {
            reading.followed(step);
        }
        if (!messages.isEmpty() || !step.settled().isEmpty()) {
            pace.changed();
        }
        messagesMayStart();
    }

    /** The keys of messages to look up in the side tables before they are taken; none while the side tables are empty. */
    public synchronized Set<Key> keysToLookUp(List<Message> messages) {
        Set<Key> keys = new HashSet<>();
        if (!permission.isClosed() && retryState.mustLookUpKeys()) {
            for (Message message : messages) {
                if (message.isSelected() && !retryState.isPending(message.key())) {
                    keys.add(message.key());
                }
            }
        }
        return keys;
    }

    /**
     * Takes the messages of the last read.
     *
     * @param waiting those of {@link #keysToLookUp} that have messages in {@code outbox_retry}, or a dead letter that blocks
     */
    public synchronized void received(Batch batch, Set<Key> waiting) {
        if (permission.isClosed()) {
            return;
        }
        Found found = reading.received(batch, message -> take(message, waiting), clock.elapsed());
        if (!found.messages().isEmpty() || !found.settled().isEmpty()) {
            pace.changed();
        }
        messagesMayStart();
    }

    private void take(Message message, Set<Key> waiting) {
        Delivery delivery = Delivery.fresh(message);
        if (waiting.contains(message.key()) || retryState.isPending(message.key())) {
            outcomes.blocked(delivery);
        } else {
            schedule.add(delivery);
        }
    }

    /** Whether nothing is to be done until a message is inserted, except periodic work. */
    public synchronized boolean isQuiet() {
        return !permission.isClosed()
                && !pace.hasChanged()
                && schedule.size() == 0
                && retryState.changeCount() == 0
                && !retryState.tablesAreInUse()
                && reading.isComplete();
    }

    /** Whether the writers are to be looked up now. */
    public synchronized boolean needsWriters() {
        return reading.needsWriters();
    }

    /** Whether ids have been missing for so long that idle writers are to be looked up too, which costs more. */
    public synchronized boolean waitsForWriters() {
        return reading.isLongMissing(clock.elapsed());
    }

    /** Records the writers, looked up after the last read. */
    public synchronized void observed(Writers writers) {
        reading.observed(writers);
    }

    /**
     * Saves less often while Postgres cannot remove old row versions, because each save creates one.
     *
     * @param horizon the time for which Postgres has not been able to remove them; the pauses are a fraction of it
     */
    public synchronized void saveLessOften(Duration horizon) {
        pace.saveLessOften(horizon);
    }

    /** Whether progress or another session is to be saved, or the lease to be renewed, now. */
    public synchronized boolean saveIsDue() {
        long now = clock.elapsed();
        return !permission.isWritten(presence.get())
                || pace.saveIsDue(retryState.refusedAreDue(now), retryState.changeCount(), now);
    }

    /** Whether a save would write more than a renewal of the lease. */
    public synchronized boolean hasChanged() {
        return pace.hasChanged();
    }

    /** Whether a save would write no changes of messages. */
    public synchronized boolean changesOnlyProgress() {
        return retryState.changeCount() == 0 && !retryState.refusedAreDue(clock.elapsed());
    }

    /** What to save now if only progress has changed; empty if changes of messages are to be saved too, or the lane is closed. */
    public synchronized Optional<Save> progressToSave() {
        return changesOnlyProgress() && !permission.isClosed() ? Optional.of(toSave()) : Optional.empty();
    }

    /** What to save now. Later changes belong to the next save. */
    public synchronized Save toSave() {
        long now = clock.elapsed();
        List<Change> changes = retryState.toSave(now);
        ProgressToSave saved = reading.toSave();
        retryState.deferredIds().forEach(saved.gaps()::add);
        pace.saving(retryState.isSavedInParts(), now);
        ProvenSession session = presence.get();
        permission.requested(session);
        return new Save(saved, changes, outcomes.deliveredCount() - retryState.deferredRemovals(), session);
    }

    /**
     * Records that the result of {@link #toSave()} is saved.
     *
     * @param freed keys whose next message became due by this save, as far as known; others are found when they are due
     */
    public synchronized void saved(Save save, Collection<Key> freed) {
        retryState.saved(save.changes(), freed);
        save.changes().stream()
                .filter(Change.Dead.class::isInstance)
                .forEach(dead -> counters.add(LaneCounters.Count.DEAD_LETTERED));
        messagesMayStart();
    }

    /** Records that the result of {@link #toSave()} is not saved. It becomes part of the next save. */
    public synchronized void saveFailed(Save save) {
        retryState.saveFailed(save.changes());
        reading.saveFailed(save.progress());
        pace.changed();
    }

    /**
     * Sets aside changes that the database refuses because of their content. They are saved again later, a part at a time; until
     * then their messages remain in the saved gaps or in {@code outbox_retry}.
     *
     * @param messages ids of the messages whose change was refused
     * @param examined number of changes examined, the first ones of the last {@link #toSave()}, which has failed. The next save
     *     contains those of them that were not refused; later saves contain the others, part by part
     * @return the messages whose change was not refused before
     */
    public synchronized List<Long> setAside(Set<Long> messages, int examined) {
        pace.changed();
        return retryState.setAside(messages, examined, clock.elapsed());
    }

    /** Whether changes are saved in parts, because the database has refused some of them. */
    public synchronized boolean isSavedInParts() {
        return retryState.isSavedInParts();
    }

    /** A report on the time since the last report. */
    public synchronized LaneReport report() {
        return new LaneReport(schedule.size(), outcomes.takeLatency(), schedule.outage(clock.elapsed()), rate.use());
    }

    /**
     * Whether a survey of the side tables is due at once, because in order {@code strict} their lowest id was removed. It must be made by the
     * thread that saves.
     */
    public synchronized boolean surveyIsDue() {
        return retryState.surveyIsDue();
    }

    /** Whether the side tables contained messages at the last survey, or messages were written to them since. */
    public synchronized boolean messagesWait() {
        return retryState.tablesAreInUse();
    }

    /** The number of the next survey of the side tables. Any thread must call this before the statement of the survey begins. */
    public synchronized long surveyNumber() {
        return retryState.surveyNumber();
    }

    /** Records a survey of the side tables, made by the thread that saves, after the last save. */
    public synchronized void surveyed(RetrySurvey survey) {
        surveyed(survey, retryState.surveyNumber());
    }

    /**
     * Records a survey of the side tables, made by any thread.
     *
     * @param number the {@link #surveyNumber()} before its statement: if the lane has saved changes since, the survey may be too old
     * @return whether messages have become due, or wait for the first time, so that the lane has something to do
     */
    public synchronized boolean surveyed(RetrySurvey survey, long number) {
        boolean isNew = retryState.surveyed(survey, number);
        messagesMayStart();
        return isNew;
    }

    /** The maximum number of due messages of {@code outbox_retry} to read now; 0 for no read. */
    public synchronized int dueLimit() {
        boolean isDue = !permission.isClosed() && retryState.dueReadIsDue();
        return isDue && !reading.mayOvertakeGaps() ? window.roomForRetries() : 0;
    }

    /** Ids of messages of {@code outbox_retry} not to be read, because they are already taken. */
    public synchronized long[] takenFromRetry() {
        return retryState.taken();
    }

    /**
     * Takes due messages of {@code outbox_retry}, except those already taken. In order {@code key}, a message is blocked again if
     * an earlier message of its key now waits too.
     */
    public synchronized void receivedDue(Collection<Delivery> due) {
        retryState.dueRead();
        if (!permission.isClosed()) {
            for (Delivery delivery : due) {
                if (!retryState.leaveBehindRefused(delivery) && retryState.take(delivery)) {
                    receivedDue(delivery);
                }
            }
        }
        messagesMayStart();
    }

    private void receivedDue(Delivery due) {
        boolean isBehind = due.isBehind() && options.order() == Order.key;
        if (isBehind || retryState.isBehindUnsaved(due)) {
            outcomes.blocked(due);
            pace.changed();
        } else {
            schedule.add(due);
        }
    }

    /**
     * Keys whose blocked messages may follow now. Only an optimization: the first message of each key is also found when it is due.
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
     * Takes blocked messages that may follow: for each key those with the lowest ids. Messages are left out if an earlier message
     * of their key has failed since the query.
     */
    public synchronized void receivedFollowers(Collection<Delivery> followers) {
        if (!permission.isClosed()) {
            followers.stream()
                    .filter(follower -> !retryState.isBehindUnsaved(follower))
                    .filter(retryState::take)
                    .forEach(schedule::add);
        }
        messagesMayStart();
    }

    /** Records a renewal of the lease. */
    public synchronized void renewed(long newLeaseEnds) {
        permission.renewed(newLeaseEnds);
        messagesMayStart();
    }

    /** Records that a save with this session was answered: the row contains no other session. */
    public synchronized void sessionWritten(ProvenSession session) {
        permission.written(session);
        messagesMayStart();
    }

    /** Continues after the session was not proven for a while. */
    public synchronized void proven() {
        messagesMayStart();
    }

    /**
     * Delivers on threads of a pool, which are started when messages may start.
     *
     * @param timer starts a thread after a time
     * @param delivery runs on each thread: it calls {@link #next()} until there is no message, and sends the messages
     */
    public synchronized void deliverOn(Executor pool, ScheduledExecutorService timer, Runnable delivery) {
        threads.open(pool, timer, delivery);
    }

    /**
     * Takes the next messages to start as one attempt, in order of id: one message, or a batch if the route has batches. Only for
     * threads of {@link #deliverOn}.
     *
     * @return empty if the thread must end: no message may start, or the lane is closed
     */
    public synchronized List<Delivery> next() {
        return threads.next();
    }

    /** Must follow each change that may let messages start: wakes the threads that wait for the lease, and starts one if none will ask for messages. */
    private void messagesMayStart() {
        notifyAll();
        threads.startIfNeeded();
    }

    /** As {@link #next()}, for any thread; empty if none may start now. For loops that are run step by step. */
    synchronized List<Delivery> attemptNow() {
        return starts.attempt(clock.elapsedAtLeast()); // awaitLease reads the exact time before the message is sent
    }

    /** As {@link #attemptNow()} for a route without batches: the message, or null. */
    public Delivery nextNow() {
        List<Delivery> next = attemptNow();
        return next.isEmpty() ? null : next.get(0);
    }

    /**
     * Must be called just before a message is sent. Waits if the lease or the proof of the session has expired since
     * {@link #next()}: the process or machine may have been suspended, and another relay may have taken over.
     *
     * @return false if the lane is closed; the message must not be sent
     */
    public boolean awaitLease() throws InterruptedException {
        return !permission.isClosed() && isExclusive() || awaitRenewal();
    }

    private synchronized boolean awaitRenewal() throws InterruptedException {
        while (!permission.isClosed() && !isExclusive()) {
            permission.needProof(clock.elapsed());
            wait();
        }
        return !permission.isClosed();
    }

    private boolean isExclusive() {
        return permission.isExclusive(clock.elapsed());
    }

    /** Records the end of an attempt. */
    public synchronized void finished(Delivery delivery, Result result) {
        if (permission.isClosed()) {
            return;
        }
        counters.ended(result.outcome());
        long now = schedule.needsTime(result) ? clock.elapsed() : 0;
        recordEnded(schedule.finished(delivery, result, now));
        wakeThreads();
    }

    /** Records the end of an attempt of several messages, each with its own result. */
    public synchronized void finished(List<Delivery> batch, List<Result> results) {
        if (permission.isClosed()) {
            return;
        }
        counters.endedBatch(batch.size());
        results.forEach(result -> counters.ended(result.outcome()));
        recordEnded(schedule.finished(batch, results, clock.elapsed()));
        wakeThreads();
    }

    /**
     * Records that an attempt of several messages failed, and it is not known for which of them. They are sent again, in batches of at
     * most half the size; this counts as an attempt of none of them.
     */
    public synchronized void failedTogether(List<Delivery> batch, Result result) {
        if (permission.isClosed()) {
            return;
        }
        counters.endedBatch(batch.size());
        if (result.outcome() == Outcome.UNAVAILABLE) {
            counters.ended(Outcome.UNAVAILABLE);
        } else {
            counters.add(LaneCounters.Count.HALVED_BATCHES);
        }
        schedule.failedTogether(batch, result, clock.elapsed());
        wakeThreads();
    }

    private void recordEnded(Ended ended) {
        if (!ended.isEmpty()) {
            outcomes.ended(ended);
            pace.changed();
        }
    }

    private void wakeThreads() {
        if (roomIsAwaited && window.hasRoom()) {
            roomIsAwaited = false;
            roomListener.run();
        }
        if (schedule.started() == 0) {
            notifyAll();
        }
        if (schedule.hasReady()) {
            threads.startIfNeeded();
        }
    }

    /** The state of this lane now. */
    public synchronized LaneSnapshot snapshot() {
        long now = clock.elapsed();
        return new LaneSnapshot(
                epoch,
                !permission.isClosed() && permission.leaseHolds(now),
                schedule.size(),
                reading.missingCount(),
                reading.oldestMissing(now),
                schedule.outage(now),
                schedule.longestAttempt(now),
                rate.isWaiting());
    }

    /** The messages whose attempt has been running for longer than a limit. */
    public synchronized List<Delivery> runningLongerThan(Duration limit) {
        return schedule.startedBefore(clock.elapsed() - limit.toNanos());
    }

    /** Whether the destination is considered unavailable. Takes no lock. */
    public boolean destinationIsUnavailable() {
        return schedule.availability().isUnavailable();
    }

    /** How many suspicions that the destination is unavailable have been refuted. Takes no lock. */
    public int refutedSuspicions() {
        return schedule.availability().refutations();
    }

    /** Starts no more messages until {@link #resume}. */
    public synchronized void suspend(Suspension reason) {
        permission.suspend(reason);
        rate.stopWaiting();
    }

    /**
     * Releases the share of the rate, before another relay can own the lane.
     *
     * @return the use of the share until then; empty without a rate
     */
    public synchronized Optional<RateShare.Use> leaveRate() {
        rate.leave();
        return rate.use();
    }

    /** Removes a reason; the lane continues when no reason is left. */
    public synchronized void resume(Suspension reason) {
        if (permission.resume(reason)) {
            messagesMayStart();
        }
    }

    /** Waits until all started attempts have ended, up to a limit; returns whether they have. */
    public synchronized boolean awaitAttempts(Duration limit) throws InterruptedException {
        long end = clock.elapsed() + limit.toNanos();
        for (long left = limit.toNanos(); schedule.started() > 0 && left > 0; left = end - clock.elapsed()) {
            wait(Math.max(1, left / 1_000_000));
        }
        return schedule.started() == 0;
    }

    /** Closes this lane: no message starts, and the end of an attempt has no effect. */
    public synchronized void close() {
        permission.close();
        threads.close();
        rate.leave();
        notifyAll();
    }

    public synchronized boolean isClosed() {
        return permission.isClosed();
    }
}
