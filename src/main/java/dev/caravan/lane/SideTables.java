package dev.caravan.lane;

import dev.caravan.delivery.Delivery;
import dev.caravan.delivery.Key;
import dev.caravan.delivery.Order;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a lane knows of {@code outbox_retry} and {@code outbox_dead_letter}: what it wants to have written there, what it has
 * taken from there, and which keys are blocked. Times are those of the lane's clock, in nanoseconds.
 */
final class SideTables {
    /** How often the tables are looked at for what people or other tools changed. */
    private static final long SURVEY_INTERVAL_NANOS = 1_000_000_000L;
    /** How often messages are looked for whose time has come, while there are any. */
    private static final long DUE_INTERVAL_NANOS = 200_000_000L;

    private final Order order;
    private final BlockedKeys blockedKeys;
    /** Ids that are in the schedule, or whose change is not saved: not to be taken again. */
    private final Set<Long> taken = new HashSet<>();

    private List<Change> changes = new ArrayList<>();
    private long changeBytes;
    /** Changes that the database refused, and when it was last asked. */
    private final List<Change> refused = new ArrayList<>();

    private final Set<Long> everRefused = new HashSet<>();
    private long refusedAt;
    /** In order strict: no message with a lower id is there. */
    private long lowest = Long.MAX_VALUE;

    private long surveyedAt;
    private long dueReadAt;

    SideTables(LaneOptions options, long now) {
        order = options.order();
        blockedKeys = new BlockedKeys(options.deadLettersBlock());
        surveyedAt = now - SURVEY_INTERVAL_NANOS;
        dueReadAt = surveyedAt;
    }

    /** Whether later messages of a key have to queue up there. */
    boolean block(Key key) {
        return order == Order.key && blockedKeys.contains(key);
    }

    /** How many keys have messages there. */
    int keyCount() {
        return blockedKeys.count();
    }

    /** The lowest id that waits there or is dead; {@link Long#MAX_VALUE} if none does. Known in order strict only. */
    long lowest() {
        return blockedKeys.isEmpty() ? Long.MAX_VALUE : lowest;
    }

    /** Something is to be written about a message. */
    void change(Change change) {
        Delivery delivery = change.delivery();
        if (delivery.isStored()) {
            blockedKeys.left(delivery.message().key());
        }
        blockedKeys.changes(delivery.message().key());
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

    /** How many changes were refused and are kept apart. */
    int refusedCount() {
        return refused.size();
    }

    /** The messages that stand nowhere but in the outbox, because their change was refused. */
    List<Long> refusedIds() {
        return refused.stream()
                .map(Change::delivery)
                .filter(delivery -> !delivery.isStored())
                .map(delivery -> delivery.message().id())
                .toList();
    }

    /** Keeps changes of these messages apart for a while; returns the messages that were not refused before. */
    List<Long> setAside(Set<Long> messages, long now) {
        Map<Boolean, List<Change>> parts = changes.stream()
                .collect(Collectors.partitioningBy(
                        change -> messages.contains(change.delivery().message().id())));
        refused.addAll(parts.get(true));
        changes = new ArrayList<>(parts.get(false));
        refusedAt = now;
        return messages.stream().filter(everRefused::add).toList();
    }

    /** What to write now; what changes later is for the next save. */
    List<Change> toSave(long now) {
        if (!refused.isEmpty() && now - refusedAt >= Lane.REFUSED_INTERVAL.toNanos()) {
            changes.addAll(0, refused);
            refused.clear();
        }
        List<Change> save = changes;
        changes = new ArrayList<>();
        return save;
    }

    void saved(List<Change> save) {
        for (Change change : save) {
            changeBytes -= change.delivery().message().bytes();
            blockedKeys.saved(change);
            taken.remove(change.delivery().message().id());
            everRefused.remove(change.delivery().message().id());
        }
    }

    void saveFailed(List<Change> save) {
        List<Change> all = new ArrayList<>(save);
        all.addAll(changes);
        changes = all;
    }

    boolean surveyIsDue(long now) {
        long since = now - surveyedAt;
        return since >= SURVEY_INTERVAL_NANOS
                || since >= DUE_INTERVAL_NANOS && order == Order.key && blockedKeys.waitForSurvey();
    }

    void surveyed(RetrySurvey survey, long now) {
        surveyedAt = now;
        blockedKeys.surveyed(survey);
        lowest = taken.stream().mapToLong(Long::longValue).reduce(survey.lowest(), Math::min);
    }

    /** Whether messages whose time has come should be looked for now. */
    boolean dueReadIsDue(long now) {
        return !blockedKeys.isEmpty() && now - dueReadAt >= DUE_INTERVAL_NANOS;
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

    /** Takes a message whose time has come; false if it was taken before. */
    boolean takeDue(Delivery delivery) {
        boolean isNew = taken.add(delivery.message().id());
        if (isNew) {
            blockedKeys.dueTaken(delivery.message().key());
        }
        return isNew;
    }

    /** Takes a message that waited behind another one; false if it was taken before. */
    boolean takeFollower(Delivery delivery) {
        boolean isNew = taken.add(delivery.message().id());
        if (isNew) {
            blockedKeys.followerTaken(delivery.message().key());
        }
        return isNew;
    }

    /** Keys whose blocked messages may follow now. */
    List<Key> readyToFollow(int limit) {
        return blockedKeys.readyToFollow(limit);
    }

    /** Whether the blocked messages of a key may follow at this moment. */
    boolean mayFollow(Key key) {
        return blockedKeys.mayFollow(key);
    }

    /** No message of this key was there. */
    void nothingLeft(Key key) {
        blockedKeys.nothingLeft(key);
    }
}
