package dev.caravan.engine.lane;

import dev.caravan.base.message.Key;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Order;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The state of a lane regarding {@code outbox_retry} and {@code outbox_dead_letter}: changes to write, messages taken from there,
 * and whether the tables contain any messages. Waiting messages are not in memory: the first message of each key has a due time
 * in the table and is read when it is due. Times are those of the lane's clock, in nanoseconds.
 */
final class RetryState {
    /** Number of changes that can be examined one by one well within a lease. */
    static final int PART = 100;

    private static final int ALL = Integer.MAX_VALUE;
    /** Limit of the unblocked keys. Messages of further keys follow when they are due. */
    private static final int MAX_UNBLOCKED = 10_000;

    private final Order order;
    private final Duration refusedInterval;
    private final PendingKeys pending = new PendingKeys();
    /** Ids in the schedule, or whose change is not saved: not to be taken again. */
    private final Set<Long> taken = new HashSet<>();
    /** Keys whose next message has just become due, because the earlier ones are finished. */
    private final Set<Key> unblocked = new LinkedHashSet<>();

    private List<Change> changes = new ArrayList<>();
    /** Maximum number of changes in the next save; {@link #ALL} unless one was refused. */
    private int maxToSave = ALL;

    private long changeBytes;
    /** Changes that the database refused. */
    private final List<Change> refused = new ArrayList<>();

    private final Set<Long> everRefused = new HashSet<>();
    /** Due messages of outbox_retry that wait for a message of their key whose change is refused. */
    private final Map<Key, Set<Long>> behindRefused = new HashMap<>();

    private long refusedAt;
    /** Whether the tables contained messages at the last survey, or messages were written to them since. */
    private boolean waits;
    /** With order=strict: the tables contain no message with a lower id. */
    private long lowest = Long.MAX_VALUE;
    /** With order=strict: the messages that were taken are removed from the tables, and a survey must find the lowest of the others. */
    private boolean lowestIsRemoved;

    /** Whether a survey has found a due message since due messages were read. */
    private boolean isDue;
    /** Whether the last survey has found a due message. */
    private boolean foundDue;
    /** Grows with each save that may have changed the tables, and with each survey whose result was recorded. */
    private long surveyNumber;

    RetryState(LaneSettings options) {
        order = options.order();
        refusedInterval = options.refusedInterval();
    }

    /** Whether keys of new messages must be looked up in the tables. */
    boolean mustLookUpKeys() {
        return order == Order.key && waits;
    }

    /** Whether a key has pending messages or changes; its later messages are blocked behind them in the table. */
    boolean isPending(Key key) {
        return order == Order.key && pending.contains(key);
    }

    /** Whether the tables contain messages, or messages from them are pending. */
    boolean tablesAreInUse() {
        return waits || !pending.isEmpty();
    }

    /** With order=strict, the lowest id in the tables; {@link Long#MAX_VALUE} if they are empty. */
    long lowest() {
        return tablesAreInUse() ? lowest : Long.MAX_VALUE;
    }

    /** Adds a change to save. */
    void change(Change change) {
        Delivery delivery = change.delivery();
        Key key = delivery.message().key();
        pending.changed(key, delivery.message().id());
        if (delivery.isStored()) {
            pending.finished(key);
        }
        taken.add(delivery.message().id());
        lowest = Math.min(lowest, delivery.message().id());
        changes.add(change);
        changeBytes += delivery.bytes();
    }

    /** Number of changes to save. */
    int changeCount() {
        return changes.size();
    }

    /** Approximate memory of the changes that are not known to be saved, in bytes. */
    long changeBytes() {
        return changeBytes;
    }

    /** Whether changes are saved a part at a time, because the database refuses some of them. */
    boolean isSavedInParts() {
        return maxToSave != ALL;
    }

    /** Number of deferred changes: they were refused, or wait for their part to be saved. */
    int deferredCount() {
        return refused.size() + (isSavedInParts() ? changes.size() : 0);
    }

    /** Ids of messages whose change is deferred, and that are not in the tables. */
    List<Long> deferredIds() {
        return Stream.concat(refused.stream(), changes.stream())
                .map(Change::delivery)
                .filter(delivery -> !delivery.isStored())
                .map(delivery -> delivery.message().id())
                .toList();
    }

    /** Number of delivered messages whose removal from the table is deferred. After a crash they would be delivered and counted again. */
    long deferredRemovals() {
        return Stream.concat(refused.stream(), changes.stream())
                .filter(Change.Remove.class::isInstance)
                .count();
    }

    /**
     * Sets aside the changes of these messages; returns the messages that were not refused before.
     *
     * @param examined number of changes examined, the first ones; the next save contains only the accepted ones of them
     */
    List<Long> setAside(Set<Long> messages, int examined, long now) {
        Map<Boolean, List<Change>> parts = changes.stream()
                .collect(Collectors.partitioningBy(
                        change -> messages.contains(change.delivery().message().id())));
        refused.addAll(parts.get(true));
        changes = new ArrayList<>(parts.get(false));
        maxToSave = examined - parts.get(true).size();
        if (!messages.isEmpty()) {
            refusedAt = now;
        }
        return messages.stream().filter(everRefused::add).toList();
    }

    /** Whether refused changes are to be saved again now. */
    boolean refusedAreDue(long now) {
        return !refused.isEmpty() && !isSavedInParts() && now - refusedAt >= refusedInterval.toNanos();
    }

    /** The changes to save now. Later changes belong to the next save. */
    List<Change> toSave(long now) {
        if (refusedAreDue(now)) {
            List<Change> again = refused.subList(0, Math.min(PART, refused.size()));
            changes.addAll(0, again);
            again.clear();
        }
        int count = Math.min(maxToSave, changes.size());
        List<Change> save = changes;
        changes = new ArrayList<>(save.subList(count, save.size()));
        maxToSave = changes.isEmpty() ? ALL : PART;
        return save.subList(0, count);
    }

    /** @param freed keys whose next message became due by this save */
    void saved(List<Change> save, Collection<Key> freed) {
        for (Change change : save) {
            changeBytes -= change.delivery().bytes();
            pending.saved(
                    change.delivery().message().key(),
                    change.delivery().message().id());
            taken.remove(change.delivery().message().id());
            everRefused.remove(change.delivery().message().id());
            taken.removeAll(
                    behindRefused.getOrDefault(change.delivery().message().key(), Set.of()));
            behindRefused.remove(change.delivery().message().key());
            waits |= !(change instanceof Change.Remove);
            lowestIsRemoved |= order == Order.strict && change instanceof Change.Remove && taken.isEmpty();
            surveyNumber++;
        }
        for (Key key : freed) {
            if (unblocked.size() < MAX_UNBLOCKED && !pending.contains(key)) {
                unblocked.add(key);
            }
        }
    }

    void saveFailed(List<Change> save) {
        List<Change> all = new ArrayList<>(save);
        all.addAll(changes);
        changes = all;
    }

    /** Whether the lane is to be surveyed at once, by the thread that saves. */
    boolean surveyIsDue() {
        return lowestIsRemoved;
    }

    /** The number of the next survey. It must be obtained before the statement of the survey begins. */
    long surveyNumber() {
        return surveyNumber;
    }

    /**
     * Records a survey. Another thread may have made it while this lane saved, and the tables that it has seen may be older than the last
     * save with changes. Such a survey may not say that nothing waits, nor what is the lowest id: its number is not the current one,
     * because {@link #saved} has been called since. It may say that a message is due: to look for it costs little, and finds
     * none if that is no longer true. A survey that ends before {@link #saved} is never too old, whatever part of the save it has
     * seen: until then the keys and ids of the save are pending and taken, and {@link #saved} records that messages wait.
     *
     * @param number the {@link #surveyNumber()} before its statement
     * @return whether messages have become due, or wait for the first time
     */
    boolean surveyed(RetrySurvey survey, long number) {
        boolean isNew = survey.isDue() && !foundDue || survey.waits() && !tablesAreInUse();
        isDue |= survey.isDue();
        if (number == surveyNumber) {
            surveyNumber++; // a survey that began before this one is older
            isDue = survey.isDue();
            foundDue = survey.isDue();
            lowestIsRemoved = false;
            waits = survey.waits();
            lowest = taken.stream().mapToLong(Long::longValue).reduce(survey.lowest(), Math::min);
        }
        return isNew;
    }

    /** Whether due messages are to be read now. */
    boolean dueReadIsDue() {
        return isDue;
    }

    void dueRead() {
        isDue = false;
    }

    /** Ids not to be read, because they are already taken. */
    long[] taken() {
        return taken.stream().mapToLong(Long::longValue).toArray();
    }

    /** With order=strict: whether the first waiting message is in the table and not taken. */
    boolean lowestIsInTable() {
        return order == Order.strict && !taken.contains(lowest);
    }

    /** Takes a message from the table; returns false if it was already taken. */
    boolean take(Delivery delivery) {
        boolean isNew = taken.add(delivery.message().id());
        if (isNew) {
            pending.taken(delivery.message().key());
        }
        return isNew;
    }

    /** Whether a message must wait for an earlier one of its key whose change is not saved. */
    boolean isBehindUnsaved(Delivery delivery) {
        return order == Order.key
                && pending.hasEarlierUnsaved(
                        delivery.message().key(), delivery.message().id());
    }

    /**
     * Leaves a message in the table until the refused change of an earlier message of its key is saved; returns false if there
     * is none. Blocking the message instead would make it due again at once, because no earlier message is in the table.
     */
    boolean leaveBehindRefused(Delivery delivery) {
        Key key = delivery.message().key();
        boolean isBehind = isBehindUnsaved(delivery)
                && refused.stream()
                        .map(change -> change.delivery().message())
                        .anyMatch(earlier -> earlier.id() < delivery.message().id()
                                && earlier.key().equals(key));
        if (isBehind && taken.add(delivery.message().id())) {
            behindRefused
                    .computeIfAbsent(key, k -> new HashSet<>())
                    .add(delivery.message().id());
        }
        return isBehind;
    }

    /** Keys whose messages may follow now, each once. Pending keys are left out. */
    List<Key> takeUnblocked(int limit) {
        List<Key> keys = new ArrayList<>();
        for (var each = unblocked.iterator(); keys.size() < limit && each.hasNext(); each.remove()) {
            Key key = each.next();
            if (!pending.contains(key)) {
                keys.add(key);
            }
        }
        return keys;
    }
}
