package dev.caravan.lane;

import dev.caravan.delivery.Backoff;
import dev.caravan.delivery.Delivery;
import dev.caravan.delivery.Message;
import dev.caravan.delivery.Outcome;
import dev.caravan.delivery.Schedule;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * One lane while one relay holds its lease: what was read, what is on its way, and what to save. One thread reads and
 * saves; any number of threads deliver. A lane lives as long as the lease; after it is closed nothing starts, and what
 * still ends changes nothing.
 */
public final class Lane {
    private final long epoch;
    private final LaneOptions options;
    private final LongSupplier nanoClock;

    private final Progress progress;
    private final Settling settling = new Settling();
    private final Schedule schedule;

    private boolean closed;
    private boolean suspended;
    private boolean changed;
    private long leaseEnds;
    private long savedAt;
    private long askedTo;

    /**
     * @param epoch the epoch of the lease
     * @param leaseEnds when the lease ends at the earliest, on the nano clock
     * @param nanoClock a monotonic clock in nanoseconds, like {@link System#nanoTime()}
     */
    public Lane(
            long epoch,
            long leaseEnds,
            SavedProgress saved,
            LaneOptions options,
            Backoff backoff,
            LongSupplier nanoClock) {
        this.epoch = epoch;
        this.leaseEnds = leaseEnds;
        this.options = options;
        this.nanoClock = nanoClock;
        progress = new Progress(saved);
        settling.suspect(new IdRanges(saved.gaps()));
        schedule = new Schedule(options.order(), options.pipelined(), options.maxStarted(), backoff);
        savedAt = nanoClock.getAsLong();
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
        // In order strict a full window may wait for ids missing below it, and would stay full for ever. One at a time:
        // the window is exceeded by no more than the transactions that were open side by side.
        long waiting = schedule.firstInStrictOrder();
        IdRanges awaited = progress.missing().upTo(waiting);
        return awaited.isEmpty() ? null : read(Long.MAX_VALUE, awaited, waiting, 1, options.batchBytes());
    }

    private Read read(long position, IdRanges missing, long upTo, int limit, long bytes) {
        settling.readStarts();
        askedTo = upTo;
        return new Read(position, missing.toMultirange(), limit, bytes);
    }

    private boolean hasRoom() {
        return schedule.size() + options.batchSize() <= options.window() && schedule.bytes() < options.windowBytes();
    }

    /** Waits until there is room to read, at most for a time. */
    public synchronized void awaitRoom(Duration limit) throws InterruptedException {
        long end = nanoClock.getAsLong() + limit.toNanos();
        for (long left = limit.toNanos(); !hasRoom() && !closed && left > 0; left = end - nanoClock.getAsLong()) {
            wait(Math.max(1, left / 1_000_000));
        }
    }

    /** Takes in what the last read returned. */
    public synchronized void received(Batch batch) {
        if (closed) {
            return;
        }
        IdRanges skipped = new IdRanges();
        for (Batch.Row row : batch.rows()) {
            skipped.addAll(progress.take(row.id()));
            if (row.message() == null) {
                progress.delivered(row.id());
            } else {
                schedule.add(row.message());
            }
        }
        changed |= !batch.rows().isEmpty();
        settle(settling.readEnded(Math.min(batch.coveredTo(), askedTo)));
        settling.suspect(skipped);
        notifyAll();
    }

    private void settle(IdRanges proved) {
        if (!proved.isEmpty()) {
            progress.settle(proved);
            changed = true;
        }
    }

    /** Whether the transactions that write to the outbox should be looked up now. */
    public synchronized boolean needsWriters() {
        return settling.needsWriters();
    }

    /** The transactions that write to the outbox, looked up after the last read. */
    public synchronized void observed(Writers writers) {
        settling.observe(writers);
    }

    /** Whether progress has to be saved or the lease renewed now. */
    public synchronized boolean saveIsDue() {
        long since = nanoClock.getAsLong() - savedAt;
        return changed && since >= options.ackInterval().toNanos()
                || since >= options.leaseRenewal().toNanos();
    }

    /** The progress to save now; what happens after this call is for the next save. */
    public synchronized SavedProgress toSave() {
        changed = false;
        savedAt = nanoClock.getAsLong();
        return progress.toSave();
    }

    /** The last progress from {@link #toSave()} may not have been saved. */
    public synchronized void saveFailed() {
        changed = true;
    }

    /** The lease holds until a new time on the nano clock. */
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
            long nanos = schedule.untilNextRetry(nanoClock.getAsLong());
            wait(nanos == Long.MAX_VALUE ? 0 : nanos / 1_000_000 + 1);
        }
        return null;
    }

    /** The next message to start, or null if none may start at this moment. */
    public synchronized Delivery nextNow() {
        long now = nanoClock.getAsLong();
        boolean mayStart = !closed && !suspended && leaseEnds - now > 0;
        return mayStart ? schedule.next(now, progress.missing().lowest()) : null;
    }

    /** An attempt has ended. */
    public synchronized void finished(Delivery delivery, Outcome outcome) {
        if (closed) {
            return;
        }
        for (Message message : schedule.finished(delivery, outcome, nanoClock.getAsLong())) {
            progress.delivered(message.id());
            changed = true;
        }
        notifyAll();
    }

    /** Starts nothing more until {@link #resume()}. */
    public synchronized void suspend() {
        suspended = true;
    }

    public synchronized void resume() {
        suspended = false;
        notifyAll();
    }

    /** Waits until nothing is on its way, at most for a time; returns whether that is so. */
    public synchronized boolean awaitNothingOnItsWay(Duration limit) throws InterruptedException {
        long end = nanoClock.getAsLong() + limit.toNanos();
        for (long left = limit.toNanos(); schedule.started() > 0 && left > 0; left = end - nanoClock.getAsLong()) {
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
