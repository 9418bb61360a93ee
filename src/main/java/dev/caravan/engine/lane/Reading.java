package dev.caravan.engine.lane;

import dev.caravan.base.message.Message;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.LookUpParts;
import dev.caravan.engine.progress.Progress;
import dev.caravan.engine.progress.ProgressToSave;
import dev.caravan.engine.progress.Read;
import dev.caravan.engine.progress.SavedProgress;
import dev.caravan.engine.progress.Settling;
import dev.caravan.engine.progress.Writers;
import dev.caravan.engine.schedule.Order;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The progress of a lane through the outbox: what it reads next, which ids are missing, and when these are settled. Times are
 * those of the lane's clock, in nanoseconds.
 */
final class Reading {
    private static final IdRanges NONE = new IdRanges();

    private static final Duration LONG_MISSING = Duration.ofSeconds(1);
    /** Limit of ranges per read; one range takes about 10 microseconds. */
    private static final int LOOKED_UP_RANGES = 50_000;

    private static final Duration PART_TIMEOUT = Duration.ofSeconds(5);

    private final Order order;
    private final Progress progress;
    /** Replaced when this lane follows the tail, or reads by itself again. */
    private Settling settling = new Settling(LONG_MISSING.toNanos());

    private final LookUpParts parts = new LookUpParts(LOOKED_UP_RANGES, PART_TIMEOUT.toNanos());
    /** The position of the saved progress while its gaps are not read yet; 0 afterwards. */
    private long gapsUnreadTo;

    /** {@link Long#MAX_VALUE} unless the number of lanes is being changed. */
    private long readTo = Long.MAX_VALUE;

    Reading(SavedProgress saved, Order order, long now) {
        this.order = order;
        progress = new Progress(saved);
        settling.suspect(new IdRanges(saved.gaps()), now);
        gapsUnreadTo = saved.gaps().isEmpty() ? 0 : saved.position();
    }

    long position() {
        return progress.position();
    }

    /** Whether reads are limited, because the number of lanes is being changed. */
    boolean isLimited() {
        return readTo != Long.MAX_VALUE;
    }

    /** Limits reads to ids up to this one; returns whether all of them are read. */
    boolean readTo(long id) {
        readTo = id;
        return progress.position() >= id;
    }

    /** A read of the new messages and of the missing ids. */
    Read next(int limit, long bytes, long now) {
        return read(progress.position(), progress.missing(), readTo, limit, bytes, now);
    }

    /** A read of only the missing ids up to an id; null if none is missing there. */
    Read nextMissing(long upTo, int limit, long bytes, long now) {
        IdRanges awaited = progress.missing().upTo(upTo);
        return awaited.isEmpty() ? null : read(Long.MAX_VALUE, awaited, Math.min(upTo, readTo), limit, bytes, now);
    }

    private Read read(long position, IdRanges missing, long to, int limit, long bytes, long now) {
        settling.readStarts();
        Set<Long> open = settling.openTransactions();
        IdRanges part = parts.next(missing, now);
        if (part == missing) {
            return new Read(position, missing.toMultirange(), open, to, limit, bytes);
        }
        // No new messages: an earlier one of their key may be among the missing ids that are not looked up.
        return new Read(Long.MAX_VALUE, part.toMultirange(), open, Math.min(to, part.highest()), limit, bytes);
    }

    /**
     * Takes the messages of the last read.
     *
     * @param taken receives each selected message, in ascending order of id
     */
    Found received(Batch batch, Consumer<Message> taken, long now) {
        if (!batch.ended().isEmpty()) {
            IdRanges again = settling.ended(batch.ended());
            progress.lookUpAgain(again);
            return new Found(
                    List.of(), again, NONE, NONE); // a message that the batch lacks may be earlier than those in it
        }
        IdRanges skipped = new IdRanges();
        for (Message message : batch.messages()) {
            if (message.id() <= progress.position()) {
                settling.appeared(message.id());
            }
            skipped.addAll(progress.take(message.id()));
            if (message.isSelected()) {
                taken.accept(message);
            } else {
                progress.delivered(message.id());
            }
        }
        Found found = covered(batch, now);
        settling.suspect(skipped, now);
        return found;
    }

    private Found covered(Batch batch, long now) {
        long coveredTo = batch.coveredTo();
        gapsAreRead(coveredTo);
        IdRanges proved = settling.readEnded(coveredTo);
        progress.settle(proved);
        IdRanges leftOut = NONE;
        if (order != Order.strict) { // strict waits at a missing id, so there are never many
            leftOut = settling.leaveOut(coveredTo, now);
            progress.leaveOut(leftOut);
        }
        return new Found(batch.messages(), NONE, proved, leftOut);
    }

    private void gapsAreRead(long coveredTo) {
        if (coveredTo >= gapsUnreadTo) {
            gapsUnreadTo = 0;
        }
    }

    /** Counts all ids up to this one as missing that are above the position. */
    void skipTo(long id) {
        progress.skipTo(id);
    }

    /** The missing ids, also those that reads leave out, as a new set. */
    IdRanges allMissing() {
        IdRanges all = new IdRanges(progress.missing());
        all.addAll(progress.leftOut());
        return all;
    }

    /** The missing ids that reads leave out; do not modify. */
    IdRanges leftOut() {
        return progress.leftOut();
    }

    /** Looks up more ids from the next read on: those at or below the position of this reading that are missing for a lane that follows it. */
    void lookUp(IdRanges ids, long now) {
        IdRanges more = ids.upTo(progress.position());
        more.removeAll(progress.missing());
        more.removeAll(progress.leftOut());
        progress.lookUpAgain(more);
        settling.suspect(more, now);
    }

    /**
     * From now on the tail settles the missing ids of this lane.
     *
     * @param leftOut the ids that the tail leaves out of its reads
     */
    void follow(IdRanges leftOut) {
        settling = new Settling(LONG_MISSING.toNanos());
        progress.lookUpAgain(new IdRanges(progress.leftOut()));
        leaveOut(leftOut);
    }

    /** From now on this lane settles its missing ids. */
    void readAlone(long now) {
        progress.lookUpAgain(new IdRanges(progress.leftOut()));
        settling = new Settling(LONG_MISSING.toNanos());
        settling.suspect(progress.missing(), now);
    }

    /**
     * Takes the next messages of a step of the tail, except those that this lane has taken.
     *
     * @param ids the ids of these messages, and of those between them that the lane does not deliver
     */
    void follow(TailStep step, IdRanges ids, List<Message> messages, Consumer<Message> taken) {
        progress.lookUpAgain(IdRanges.common(step.lookUpAgain(), progress.leftOut()));
        IdRanges fresh = progress.pass(ids);
        for (int i = 0; i < messages.size(); i++) {
            Message message = messages.get(i);
            if (fresh.contains(message.id())) {
                progress.start(message.id());
                taken.accept(message);
            }
        }
    }

    /** All messages of a step of the tail are taken. */
    void followed(TailStep step) {
        gapsAreRead(step.coveredTo());
        progress.settle(step.settled());
        leaveOut(step.leftOut());
    }

    private void leaveOut(IdRanges ids) {
        if (order != Order.strict) {
            progress.leaveOut(IdRanges.common(ids, progress.missing()));
        }
    }

    /** Records that the messages from first to last are delivered, or move to the side tables; none if last is before first. */
    void delivered(long first, long last) {
        progress.delivered(first, last);
    }

    /** The progress to save now. */
    ProgressToSave toSave() {
        return progress.toSave();
    }

    /** Records that the result of {@link #toSave()} is not saved. */
    void saveFailed(ProgressToSave save) {
        progress.saveFailed(save);
    }

    /** Whether the writers are to be looked up now. */
    boolean needsWriters() {
        return settling.needsWriters();
    }

    /** Whether ids have been missing for more than a second. */
    boolean isLongMissing(long now) {
        OptionalLong oldest = settling.oldest();
        return oldest.isPresent() && now - oldest.getAsLong() >= LONG_MISSING.toNanos();
    }

    /** How long the oldest missing id has been missing; zero if there is none. */
    Duration oldestMissing(long now) {
        OptionalLong oldest = settling.oldest();
        return oldest.isPresent() ? Duration.ofNanos(now - oldest.getAsLong()) : Duration.ZERO;
    }

    /**
     * Records the writers, looked up after the last read.
     *
     * @return ids that were left out and are looked up again
     */
    IdRanges observed(Writers writers) {
        IdRanges again = settling.observe(writers);
        progress.lookUpAgain(again);
        return again;
    }

    /** Number of ids below the position that no read has returned. */
    long missingCount() {
        return progress.missing().count() + progress.leftOut().count();
    }

    /** The lowest missing id that the next read looks up again. */
    long lowestMissing() {
        return progress.missing().lowest();
    }

    /** Whether no id is missing. */
    boolean isComplete() {
        return progress.missing().isEmpty() && progress.leftOut().isEmpty() && !settling.needsWriters();
    }

    /**
     * Whether the gaps of the saved progress are not read yet. They may contain an earlier message of the same key, which a
     * message of {@code outbox_retry} must wait for.
     */
    boolean mayOvertakeGaps() {
        return gapsUnreadTo > 0 && order == Order.key;
    }
}
