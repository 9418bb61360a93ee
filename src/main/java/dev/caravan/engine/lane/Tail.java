package dev.caravan.engine.lane;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.Read;
import dev.caravan.engine.progress.SavedProgress;
import dev.caravan.engine.progress.Writers;
import dev.caravan.engine.schedule.Order;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The end of the outbox, which a relay reads once for all its lanes. Each read that shows something is a step; the lanes that follow the tail
 * take its steps, in order, when they have room. The last steps are kept, so that lanes of different speed share the reads. A lane that
 * is further behind has left the tail: it reads for itself until it meets the tail again. The tail never waits for a lane.
 *
 * <p>After each read, every id either was in a step, or will be in a later step when it becomes visible, or never becomes visible. So a lane
 * may follow from a read on if it has taken what was visible to that read: because the lane has read all itself after that read, or
 * because its position is not below that of the tail. Ids that are missing for the lane only are then looked up by the tail too. A message
 * that a lane has taken already is ignored. No I/O. Thread-safe; a lane is locked inside, never the other way round. See docs/spec/README.md.
 */
public final class Tail {
    /** Maximum number of messages per read. */
    public static final int READ_MESSAGES = 1_000;
    /** Approximate maximum size of a read, in bytes. */
    public static final long READ_BYTES = 4L << 20;

    private static final int KEPT_MESSAGES = 20 * READ_MESSAGES;
    private static final long KEPT_BYTES = 4 * READ_BYTES;
    /** How many reads a step is kept that all lanes have taken: lanes that read for themselves may join within these. */
    private static final int KEPT_READS = 64;

    /** A lane takes so many steps at once that have no message for it. */
    private static final int STEPS_AT_ONCE = 32;

    /** How far a lane has taken the steps: all up to a number, and some messages of the next one. */
    private static final class Place {
        private long step;
        private int messages;
        /** The lane selects no message of the steps after the last one that it has taken, up to this number. */
        private long nothingUpTo;

        private Place(long step) {
            this.step = step;
        }
    }

    private final Clock clock;
    private final int mostMessages;
    private final int mostReads;
    private final Map<Lane, Place> places = new HashMap<>();
    private final Deque<TailStep> steps = new ArrayDeque<>();
    /** Null while no lane follows. */
    private Reading reading;

    private long sequenceFile;
    /** Number of the last read that has ended; it only grows. */
    private long ended;
    /** Steps up to this number are not kept. */
    private long forgotten;
    /** The number of the last step but one. */
    private long beforeLast;
    /** Whether a lane has joined since the last read of all missing ids. Reads have a step until then, which tells the lane that its gaps were read. */
    private boolean joined;

    private IdRanges lookUpAgain = new IdRanges();
    /** The last union of steps that had nothing for a lane, and the number of the first of them; null if there was none. */
    private TailStep together;

    private long togetherFrom;
    private int keptMessages;
    private long keptBytes;

    private boolean isReading;
    /** The number of the first read that selects the messages of all lanes. */
    private long selectsAllFrom;

    /** @param clock the clock of the lanes */
    public Tail(Clock clock) {
        this(clock, KEPT_MESSAGES, KEPT_READS);
    }

    Tail(Clock clock, int mostMessages, int mostReads) {
        this.clock = clock;
        this.mostMessages = mostMessages;
        this.mostReads = mostReads;
    }

    /** Whether a lane follows. */
    public synchronized boolean isFollowed() {
        return reading != null;
    }

    /** Whether this lane follows and has not fallen behind the steps that are kept. */
    public synchronized boolean isFollowedBy(Lane lane) {
        Place place = places.get(lane);
        return place != null && place.step >= forgotten;
    }

    /** The number of the last read that has ended. A lane that now reads everything may join from this read on. */
    public synchronized long ended() {
        return ended;
    }

    /** From the next read on, reads select the messages of another lane too. Lanes join only from such a read on. */
    public synchronized void selectionChanged() {
        selectsAllFrom = ended + (isReading ? 2 : 1);
    }

    /**
     * Begins where a lane is, which follows from now on. The tail must not be followed.
     *
     * @param file the file of the sequence in which the ids up to its position were assigned
     */
    public synchronized void begin(Lane lane, long file) {
        reading = new Reading(new SavedProgress(lane.position(), lane.missing()), Order.key, clock.elapsed());
        sequenceFile = file;
        lookUpAgain = new IdRanges();
        forgotten = ++ended; // a read of another lane that began before may lack what this lane has read since then
        follow(lane, ended);
    }

    /** Lets a lane follow that is not behind; returns whether it does. The lane must not be reading. */
    public synchronized boolean join(Lane lane, long file) {
        return join(lane, file, ended, !isReading && reading != null && lane.position() >= reading.position());
    }

    /**
     * Lets a lane follow that has read everything itself: the new messages and all missing ids.
     * The ids up to the position of the tail that its read did not return are missing for the lane: for example, all visible ids may be lower
     * after pruning.
     *
     * @param since {@link #ended()} before that read
     * @return whether it follows now
     */
    public synchronized boolean join(Lane lane, long file, long since) {
        return join(lane, file, since, since >= forgotten);
    }

    private boolean join(Lane lane, long file, long since, boolean mayJoin) {
        if (reading == null || !mayJoin || file != sequenceFile || since + 1 < selectsAllFrom || !lane.mayFollow()) {
            return false;
        }
        lane.skipTo(reading.position());
        reading.lookUp(lane.missing(), clock.elapsed());
        follow(lane, since);
        return true;
    }

    private void follow(Lane lane, long since) {
        places.put(lane, new Place(since));
        lane.follow(reading.leftOut());
        joined = true;
    }

    /** Lets a lane read for itself; no effect if it does not follow. */
    public synchronized void leave(Lane lane) {
        if (places.remove(lane) != null) {
            lane.readAlone();
            if (places.isEmpty()) {
                reset();
            }
        }
    }

    /** Lets all lanes read for themselves, because reads fail, or the sequence does not continue. */
    public synchronized void reset() {
        places.keySet().forEach(Lane::readAlone);
        places.clear();
        steps.clear();
        keptMessages = 0;
        keptBytes = 0;
        reading = null;
        isReading = false;
        forgotten = ++ended;
    }

    /** The parameters of the next read; null if no lane that follows has taken all steps and has room for more. */
    public synchronized Read nextRead() {
        if (reading == null
                || places.entrySet().stream().noneMatch(place -> isWaiting(place.getKey(), place.getValue()))) {
            return null;
        }
        isReading = true;
        return reading.next(READ_MESSAGES, READ_BYTES, clock.elapsed());
    }

    private boolean isWaiting(Lane lane, Place place) {
        return (steps.isEmpty()
                        || Math.max(place.step, place.nothingUpTo)
                                >= steps.getLast().number())
                && lane.mayFollow()
                && lane.hasRoom();
    }

    /** Whether the sequence of the outbox continues after what this tail has read. */
    public synchronized boolean isContinuedBy(long lastId, long file) {
        return reading == null || lastId >= reading.position() && file == sequenceFile;
    }

    /**
     * Takes the result of {@link #nextRead()} as a step.
     *
     * @param keyHashes the hash of the key of each message; empty if no subscription has several lanes
     * @return whether there is a new step
     */
    public synchronized boolean received(Batch batch, long[] keyHashes) {
        if (!isReading) {
            return false; // all lanes have left meanwhile
        }
        isReading = false;
        Found found = reading.received(batch, this::taken, clock.elapsed());
        lookUpAgain.addAll(found.lookUpAgain());
        long coveredTo = batch.ended().isEmpty() ? batch.coveredTo() : 0;
        TailStep step = new TailStep(++ended, lookUpAgain, found, keyHashes, coveredTo);
        boolean isKept = joined || !step.isEmpty();
        if (isKept) {
            keep(step);
        }
        joined &= !batch.isAll();
        forget();
        return isKept;
    }

    private void taken(Message message) {
        reading.delivered(message.id(), message.id());
    }

    private void keep(TailStep step) {
        beforeLast = steps.isEmpty() ? forgotten : steps.getLast().number();
        steps.add(step);
        keptMessages += step.messages().size();
        keptBytes += step.bytes();
        lookUpAgain = new IdRanges();
    }

    /** Forgets steps that all lanes have taken, and those that a slow lane leaves. */
    private void forget() {
        long taken =
                places.values().stream().mapToLong(place -> place.step).min().orElse(ended);
        while (!steps.isEmpty() && (mayForget(steps.getFirst(), taken) || steps.size() > 1 && isFull())) {
            TailStep step = steps.removeFirst();
            forgotten = step.number();
            keptMessages -= step.messages().size();
            keptBytes -= step.bytes();
        }
    }

    private boolean mayForget(TailStep step, long taken) {
        return step.number() <= Math.min(taken, ended - mostReads);
    }

    private boolean isFull() {
        return keptMessages > mostMessages || keptBytes > KEPT_BYTES;
    }

    /**
     * Whether a lane should take the last step now. One that has nothing for it can be taken later, together with others: otherwise each message
     * would cost something in each lane. The lane takes it within a moment all the same, so that its progress does not fall behind.
     */
    public synchronized boolean concerns(Lane lane, Selection selection) {
        Place place = places.get(lane);
        if (place == null || steps.isEmpty()) {
            return false;
        }
        TailStep last = steps.getLast();
        boolean isNext = Math.max(place.step, place.nothingUpTo) >= beforeLast;
        if (isNext && mayWait(place, last) && !selection.isAnyOf(last)) {
            place.nothingUpTo = last.number();
            return false;
        }
        return true;
    }

    /** Not while much is kept: the lane would fall behind it. */
    private boolean mayWait(Place place, TailStep last) {
        return last.number() - place.step < STEPS_AT_ONCE
                && 4 * keptMessages < mostMessages
                && 4 * keptBytes < KEPT_BYTES;
    }

    /** The next messages that a lane takes, if it has room for a batch; null if there is no step that it has not taken. */
    public synchronized Part next(Lane lane, Selection selection) {
        Place place = places.get(lane);
        if (place == null || place.step < forgotten || !lane.mayFollow() || !lane.hasRoom()) {
            return null;
        }
        TailStep step = nextStep(place);
        if (step == null) {
            place.step = ended;
            return null;
        }
        return new Part(lane, place, step, selection.of(step, place.messages));
    }

    /** The step that follows a place; several as one if they have nothing for the lane; null if there is none. */
    private TailStep nextStep(Place place) {
        List<TailStep> next = new ArrayList<>();
        for (TailStep step : steps) {
            if (!next.isEmpty() && step.number() > place.nothingUpTo) {
                break;
            }
            if (step.number() > place.step) {
                next.add(step);
            }
        }
        if (next.isEmpty()) {
            return null;
        }
        return next.size() == 1 ? next.get(0) : together(next);
    }

    /** Most lanes that catch up are at the same place, so that one union of the steps serves them. */
    private TailStep together(List<TailStep> passed) {
        long first = passed.get(0).number();
        long last = passed.get(passed.size() - 1).number();
        if (together == null || togetherFrom != first || together.number() != last) {
            together = TailStep.together(passed);
            togetherFrom = first;
        }
        return together;
    }

    /** Messages of a step that a lane takes. */
    public final class Part {
        private final Lane lane;
        private final Place place;
        private final TailStep step;
        private final Selection.Chosen chosen;

        private Part(Lane lane, Place place, TailStep step, Selection.Chosen chosen) {
            this.lane = lane;
            this.place = place;
            this.step = step;
            this.chosen = chosen;
        }

        /** Those that the lane delivers, in ascending order of id. */
        public List<Message> messages() {
            return chosen.messages();
        }

        /**
         * Lets the lane take them, unless it has left the tail meanwhile.
         *
         * @param waiting those of {@link Lane#keysToLookUp} that have messages in {@code outbox_retry}, or a dead letter that blocks
         */
        public void take(Set<Key> waiting) {
            synchronized (Tail.this) {
                if (places.get(lane) == place) {
                    boolean isWhole = chosen.end() == step.messages().size();
                    lane.follow(step, step.ids(place.messages, chosen.end()), chosen.messages(), isWhole, waiting);
                    place.step = isWhole ? step.number() : place.step;
                    place.messages = isWhole ? 0 : chosen.end();
                }
            }
        }
    }

    /** Whether nothing is to be done until a message is inserted. */
    public synchronized boolean isQuiet() {
        return reading == null || reading.isComplete();
    }

    /** Whether missing ids wait for writers. */
    public synchronized boolean needsWriters() {
        return reading != null && reading.needsWriters();
    }

    /** Whether ids have been missing for so long that idle writers are to be looked up too, which costs more. */
    public synchronized boolean waitsForWriters() {
        return reading != null && reading.isLongMissing(clock.elapsed());
    }

    /** Records the writers, looked up after the last read. */
    public synchronized void observed(Writers writers) {
        if (reading != null) {
            lookUpAgain.addAll(reading.observed(writers));
        }
    }
}
