package dev.caravan.lab.history;

import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Order;
import dev.caravan.lab.history.ExpectedMessage.State;
import dev.caravan.lab.history.plan.HistoryOptions;
import dev.caravan.lab.history.plan.HistoryOptions.StartAt;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;

/** All messages of a history, as one subscription must deliver them. Checks the promises about them. */
final class ExpectedMessages {
    private static final long SINCE = ChronoUnit.MICROS.between(Instant.EPOCH, HistoryOptions.SINCE);
    private static final String PLACES =
            "select o.id, (s.gaps + coalesce(s.older_gaps, '{}')) @> o.id as missing, w.id is not null as waits,"
                    + " d.id is not null as dead from outbox o join outbox_subscription s"
                    + " on s.name = ? and s.lane = outbox_lane(o.aggregate_type, o.aggregate_id, s.lanes)"
                    + " left join outbox_retry w on w.subscription = s.name and w.id = o.id"
                    + " left join outbox_dead_letter d on d.subscription = s.name and d.id = o.id"
                    + " where o.id <= s.position order by o.id";

    private static final String EXISTS = "select exists (select 1 from outbox_subscription where name = ?)";
    private static final String PRESENT =
            "select id from outbox union select id from outbox_retry where subscription = ?"
                    + " union select id from outbox_dead_letter where subscription = ?";

    private final String subscription;
    private final HistoryOptions options;
    private final JdbcTemplate jdbc;
    private final NavigableMap<Long, ExpectedMessage> all = new TreeMap<>();
    /** Messages that a restored or promoted database does not contain. A relay that read them before may still send them. */
    private final Map<UUID, ExpectedMessage> removed = new HashMap<>();
    /** The lanes that were released after all their results were saved: what they delivered must not be repeated. */
    private final Set<Object> released = new HashSet<>();

    /** The last id of a restored outbox. Until a person resumes the subscription, the position may have passed new messages above it. */
    private long restoredTo = Long.MAX_VALUE;

    private boolean created;
    private boolean createdInReplica;
    private boolean refused;
    /** The lanes whose state in memory comes from a server that was replaced. */
    private final Set<Object> outdated = new HashSet<>();

    private record Place(long id, boolean missing, boolean waits, boolean dead) {
        int count() {
            return (missing ? 1 : 0) + (waits ? 1 : 0) + (dead ? 1 : 0);
        }
    }

    ExpectedMessages(String subscription, HistoryOptions options, JdbcTemplate jdbc) {
        this.subscription = subscription;
        this.options = options;
        this.jdbc = jdbc;
    }

    void written(long id, UUID messageId, int key, String type, long micros) {
        all.put(id, new ExpectedMessage(id, messageId, key, options.selects(type), micros));
    }

    /** Records that a message was rolled back to a savepoint. */
    void undone(long id) {
        all.get(id).state = State.ROLLED_BACK;
    }

    void ended(long id, boolean committed) {
        ExpectedMessage message = all.get(id);
        message.state = committed ? State.COMMITTED : State.ROLLED_BACK;
        message.afterCreation = created;
    }

    /** Removes the messages above an id, which a restored outbox does not contain. */
    void restored(long lastId) {
        Map<Long, ExpectedMessage> lost = all.tailMap(lastId, false);
        lost.values().forEach(message -> removed.put(message.messageId, message));
        lost.clear();
        restoredTo = lastId;
    }

    /** Records that a replica has the current state. */
    void replicated() {
        createdInReplica = created;
        for (ExpectedMessage message : all.values()) {
            message.replicated = message.state == State.COMMITTED;
            message.discardedInReplica = message.discarded;
        }
    }

    /**
     * Records that the replica has replaced the database: messages that it does not have are removed, and the others may be repeated.
     * A subscription that the replica does not have is created again.
     *
     * @param lanes the lanes that relays owned before
     */
    void promoted(Set<Object> lanes) {
        outdated.addAll(lanes);
        created = createdInReplica;
        all.values().stream()
                .filter(message -> !message.replicated && message.state == State.COMMITTED)
                .forEach(message -> removed.put(message.messageId, message));
        all.values().removeIf(message -> !message.replicated);
        for (ExpectedMessage message : all.values()) {
            message.discarded = message.discardedInReplica;
            message.touchedByPerson = true;
            message.afterCreation &= created;
        }
    }

    /** Whether the state of a lane in memory comes from a server that was replaced. */
    boolean isOutdated(Object lane) {
        return outdated.contains(lane);
    }

    /**
     * Records that a person resumes the subscription of a restored outbox.
     *
     * @return the id to resume after: the one before the first undelivered message, or the last id of the restored outbox
     */
    long resume() {
        long last = lost().stream()
                .mapToLong(message -> message.id - 1)
                .filter(id -> id < restoredTo)
                .min()
                .orElse(restoredTo);
        all.values().forEach(message -> message.touchedByPerson = true);
        restoredTo = Long.MAX_VALUE;
        return last;
    }

    ExpectedMessage find(long id) {
        return all.get(id);
    }

    /** The highest id that was committed; 0 for none. */
    long lastCommitted() {
        return all.values().stream()
                .filter(message -> message.state == State.COMMITTED)
                .mapToLong(message -> message.id)
                .max()
                .orElse(0);
    }

    /** Once the subscription exists, all messages committed from then on must arrive. */
    void checkCreated() {
        created = created || jdbc.queryForObject(EXISTS, Boolean.class, subscription);
    }

    /** Records whether the database refuses failures of key 0 from now on. */
    void refused(boolean refuses) {
        refused = refuses;
    }

    /** Records that a lane was released. What the database refuses to store counts as not delivered. */
    void released(Object lane) {
        released.add(lane);
        if (refused) {
            all.values().stream()
                    .filter(message -> message.key == 0 && message.deliveredBy == lane)
                    .forEach(message -> message.deliveredBy = null);
        }
    }

    private boolean mustArrive(ExpectedMessage message) {
        return message.state == State.COMMITTED
                && message.selected
                && !message.prunedBefore
                && (message.afterCreation
                        || options.start() == StartAt.EARLIEST
                        || options.start() == StartAt.TIME && message.writtenAtMicros >= SINCE);
    }

    /** Checks that a message may be sent now. */
    ExpectedMessage sent(Delivery delivery, Object lane) {
        ExpectedMessage lost = removed.get(delivery.message().messageId());
        if (lost != null && (outdated.isEmpty() || isOutdated(lane))) {
            return lost;
        }
        ExpectedMessage message = all.get(delivery.message().id());
        if (message == null || !message.messageId.equals(delivery.message().messageId())) {
            throw new Violation("message " + delivery.message().id() + " is sent, but it was not written");
        }
        if (message.state != State.COMMITTED) {
            throw new Violation(message + " is sent, but it is " + message.state);
        }
        if (!isOutdated(lane)) {
            checkOrder(message, delivery.isStored());
        }
        checkRepeat(message, lane);
        return message;
    }

    private void checkOrder(ExpectedMessage message, boolean stored) {
        if (options.pipelined() || options.order() == Order.none || message.wasDead && stored) {
            return;
        }
        boolean strict = options.order() == Order.strict;
        for (ExpectedMessage earlier : all.headMap(message.id, false).values()) {
            if ((strict || earlier.key == message.key) && !isFinished(earlier, strict)) {
                throw new Violation(message + " is sent before " + earlier + ", which is " + earlier.state);
            }
        }
    }

    private boolean isFinished(ExpectedMessage earlier, boolean strict) {
        if (earlier.state == State.OPEN) {
            return !strict || !earlier.selected;
        }
        return !mustArrive(earlier)
                || earlier.arrivals > 0
                || earlier.discarded
                || earlier.wasDead && !options.deadLettersBlock();
    }

    private void checkRepeat(ExpectedMessage message, Object lane) {
        boolean excused = message.touchedByPerson || options.pipelined();
        Object before = message.deliveredBy;
        if (before != null && !excused && (before == lane || released.contains(before))) {
            throw new Violation(message + " is sent again, although its delivery was saved or is to be saved");
        }
    }

    /** Checks that each message that a position has passed is delivered, or is stored in exactly one place. */
    void checkPlaces() {
        List<Place> places = jdbc.query(
                PLACES,
                (row, n) -> new Place(row.getLong(1), row.getBoolean(2), row.getBoolean(3), row.getBoolean(4)),
                subscription);
        for (Place place : places) {
            ExpectedMessage message = all.get(place.id());
            if (place.count() > 1) {
                throw new Violation(message + " is stored in two places: " + place);
            }
            boolean finished =
                    message.arrivals > 0 || message.discarded || !mustArrive(message) || message.id > restoredTo;
            if (place.count() == 0 && !finished) {
                throw new Violation("the position has passed " + message + ", which is " + message.state
                        + " and neither delivered, waiting nor dead");
            }
            if (place.dead() && !message.wasDead) {
                throw new Violation(message + " is dead without a reason");
            }
        }
    }

    /**
     * Checks that each message that has not arrived is still in the outbox, waits or is a dead letter. What is pruned before the
     * subscription exists need not arrive.
     */
    void checkPruned() {
        Set<Long> present = new HashSet<>(jdbc.queryForList(PRESENT, Long.class, subscription, subscription));
        for (ExpectedMessage message : lost()) {
            message.prunedBefore = !created && !present.contains(message.id);
            if (created && !present.contains(message.id)) {
                throw new Violation(message + " was pruned, and is neither delivered, waiting nor dead");
            }
        }
    }

    /** The messages that must arrive and have not. */
    List<ExpectedMessage> lost() {
        return all.values().stream()
                .filter(message -> mustArrive(message) && message.arrivals == 0 && !message.discarded)
                .toList();
    }
}
