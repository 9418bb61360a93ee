package dev.caravan.lane;

import dev.caravan.delivery.Delivery;
import dev.caravan.delivery.Key;
import dev.caravan.delivery.Order;
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
 * What a lane knows of {@code outbox_retry} and {@code outbox_dead_letter}: what it wants to have written there, what it has
 * taken from there, and whether anything is there at all. What waits there is not remembered: the first message of each key
 * has a time in the table, so it is found when it is due. Times are those of the lane's clock, in nanoseconds.
 */
final class RetryState {
    /** How often the tables are looked at for what people or other tools changed. */
    private static final long SURVEY_INTERVAL_NANOS = 1_000_000_000L;
    /** How often messages are looked for whose time has come, while there are any. */
    private static final long DUE_INTERVAL_NANOS = 200_000_000L;
    /** So few rows can be looked at one by one well within a lease. */
    static final int PART = 100;

    private static final int ALL = Integer.MAX_VALUE;
    /** Keys beyond this number follow when they are found due. */
    private static final int MOST_UNBLOCKED = 10_000;

    private final Order order;
    private final Duration refusedInterval;
    private final PendingKeys underWay = new PendingKeys();
    /** Ids that are in the schedule, or whose change is not saved: not to be taken again. */
    private final Set<Long> taken = new HashSet<>();
    /** Keys whose next message has just been given a time, because the earlier ones are gone. */
    private final Set<Key> unblocked = new LinkedHashSet<>();

    private List<Change> changes = new ArrayList<>();
    /** How many changes the next save takes; {@link #ALL} unless one was refused. */
    private int mostToSave = ALL;

    private long changeBytes;
    /** Changes that the database refused, and when it was last asked. */
    private final List<Change> refused = new ArrayList<>();

    private final Set<Long> everRefused = new HashSet<>();
    /** Messages of outbox_retry whose time has come, but that wait for a refused one of their key. */
    private final Map<Key, Set<Long>> behindRefused = new HashMap<>();

    private long refusedAt;
    /** Whether something waited there when the table was last looked at, or was written since. */
    private boolean waits;
    /** In order strict: no message with a lower id is there. */
    private long lowest = Long.MAX_VALUE;

    private long surveyedAt;
    private long dueReadAt;

    RetryState(LaneOptions options, long now) {
        order = options.order();
        refusedInterval = options.refusedInterval();
        surveyedAt = now - SURVEY_INTERVAL_NANOS;
        dueReadAt = surveyedAt;
    }

    /** Whether fresh messages have to be compared with what waits there. */
    boolean holdBackKeys() {
        return order == Order.key && waits;
    }

    /** Whether something of a key is under way; its later messages queue up behind it in the table. */
    boolean isPending(Key key) {
        return order == Order.key && underWay.contains(key);
    }

    /** Whether anything waits there, or is on its way from or to there. */
    boolean areInUse() {
        return waits || !underWay.isEmpty();
    }

    /** The lowest id that waits there or is dead; {@link Long#MAX_VALUE} if none does. Known in order strict only. */
    long lowest() {
        return areInUse() ? lowest : Long.MAX_VALUE;
    }

    /** Something is to be written about a message. */
    void change(Change change) {
        Delivery delivery = change.delivery();
        Key key = delivery.message().key();
        underWay.changes(key, delivery.message().id());
        if (delivery.isStored()) {
            underWay.left(key);
        }
        taken.add(delivery.message().id());
        lowest = Math.min(lowest, delivery.message().id());
        changes.add(change);
        changeBytes += delivery.message().bytes();
    }

    /** How many changes wait for a save. */
    int changeCount() {
        return changes.size();
    }

    /** About how much memory the changes take that are not known to be saved, in bytes. */
    long changeBytes() {
        return changeBytes;
    }

    /** Whether changes are saved a part at a time, because the database refuses some of them. */
    boolean isSavedInParts() {
        return mostToSave != ALL;
    }

    /** How many changes were refused, or wait for their part to be saved. */
    int heldUpCount() {
        return refused.size() + (isSavedInParts() ? changes.size() : 0);
    }

    /** The messages whose change no save has taken, and that stand nowhere but in the outbox. */
    List<Long> heldUpIds() {
        return Stream.concat(refused.stream(), changes.stream())
                .map(Change::delivery)
                .filter(delivery -> !delivery.isStored())
                .map(delivery -> delivery.message().id())
                .toList();
    }

    /** How many delivered messages stay in the table, and would be delivered and counted again after a crash. */
    long heldUpRemovals() {
        return Stream.concat(refused.stream(), changes.stream())
                .filter(Change.Remove.class::isInstance)
                .count();
    }

    /**
     * Keeps changes of these messages apart for a while; returns the messages that were not refused before.
     *
     * @param examined of so many changes, the first ones, no other is refused; the next save takes them alone
     */
    List<Long> setAside(Set<Long> messages, int examined, long now) {
        Map<Boolean, List<Change>> parts = changes.stream()
                .collect(Collectors.partitioningBy(
                        change -> messages.contains(change.delivery().message().id())));
        refused.addAll(parts.get(true));
        changes = new ArrayList<>(parts.get(false));
        mostToSave = examined - parts.get(true).size();
        if (!messages.isEmpty()) {
            refusedAt = now;
        }
        return messages.stream().filter(everRefused::add).toList();
    }

    /** Whether it is time to try again to store what was refused. */
    boolean refusedAreDue(long now) {
        return !refused.isEmpty() && !isSavedInParts() && now - refusedAt >= refusedInterval.toNanos();
    }

    /** What to write now; what changes later is for the next save. */
    List<Change> toSave(long now) {
        if (refusedAreDue(now)) {
            List<Change> again = refused.subList(0, Math.min(PART, refused.size()));
            changes.addAll(0, again);
            again.clear();
        }
        int count = Math.min(mostToSave, changes.size());
        List<Change> save = changes;
        changes = new ArrayList<>(save.subList(count, save.size()));
        mostToSave = changes.isEmpty() ? ALL : PART;
        return save.subList(0, count);
    }

    /** @param freed keys whose next message was given a time by this save */
    void saved(List<Change> save, Collection<Key> freed) {
        for (Change change : save) {
            changeBytes -= change.delivery().message().bytes();
            underWay.saved(
                    change.delivery().message().key(),
                    change.delivery().message().id());
            taken.remove(change.delivery().message().id());
            everRefused.remove(change.delivery().message().id());
            taken.removeAll(
                    behindRefused.getOrDefault(change.delivery().message().key(), Set.of()));
            behindRefused.remove(change.delivery().message().key());
            waits |= !(change instanceof Change.Remove);
        }
        for (Key key : freed) {
            if (unblocked.size() < MOST_UNBLOCKED && !underWay.contains(key)) {
                unblocked.add(key);
            }
        }
    }

    void saveFailed(List<Change> save) {
        List<Change> all = new ArrayList<>(save);
        all.addAll(changes);
        changes = all;
    }

    boolean surveyIsDue(long now) {
        return now - surveyedAt >= SURVEY_INTERVAL_NANOS;
    }

    void surveyed(RetrySurvey survey, long now) {
        surveyedAt = now;
        waits = survey.waits();
        lowest = taken.stream().mapToLong(Long::longValue).reduce(survey.lowest(), Math::min);
    }

    /** Whether messages whose time has come should be looked for now. */
    boolean dueReadIsDue(long now) {
        return areInUse() && now - dueReadAt >= DUE_INTERVAL_NANOS;
    }

    void dueRead(long now) {
        dueReadAt = now;
    }

    /** Ids that are not to be read: they are taken already. */
    long[] taken() {
        return taken.stream().mapToLong(Long::longValue).toArray();
    }

    /** Whether all that waits in order strict waits for a message that is still there. */
    boolean lowestIsThere() {
        return order == Order.strict && !taken.contains(lowest);
    }

    /** Takes a message from there; false if it was taken before. */
    boolean take(Delivery delivery) {
        boolean isNew = taken.add(delivery.message().id());
        if (isNew) {
            underWay.taken(delivery.message().key());
        }
        return isNew;
    }

    /** Whether a message has to wait for an earlier one of its key whose change is not saved. */
    boolean isBehindUnsaved(Delivery delivery) {
        return order == Order.key
                && underWay.hasEarlierUnsaved(
                        delivery.message().key(), delivery.message().id());
    }

    /**
     * Leaves a message in the table until the earlier one of its key is stored, which the database refuses; false if there is
     * none. Writing that it waits would give it a time again, as nothing before it is in the table, and so on every time.
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

    /** Keys whose messages may follow now; each is returned once. Those of which something is under way follow later. */
    List<Key> takeUnblocked(int limit) {
        List<Key> keys = new ArrayList<>();
        for (var each = unblocked.iterator(); keys.size() < limit && each.hasNext(); each.remove()) {
            Key key = each.next();
            if (!underWay.contains(key)) {
                keys.add(key);
            }
        }
        return keys;
    }
}
