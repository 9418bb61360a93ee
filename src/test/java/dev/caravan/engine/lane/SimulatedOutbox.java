package dev.caravan.engine.lane;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.engine.progress.Read;
import dev.caravan.engine.progress.Writer;
import dev.caravan.engine.progress.Writers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The outbox as Postgres shows it: ids are drawn before the commit, a transaction holds the lock of its insert from before
 * its first draw until its end, a commit is visible before the lock is released, and {@code PREPARE} replaces the virtual id.
 */
public final class SimulatedOutbox {
    /** Messages of this type are not selected by the subscription. */
    public static final String OTHER_TYPE = "other";

    private static final long FIRST_ID = 1_000;
    private static final Pattern RANGE = Pattern.compile("\\[(\\d+),(\\d+)\\)");

    private final NavigableMap<Long, Message> visible = new TreeMap<>();
    private final Set<Long> rolledBack = new TreeSet<>();
    private final List<Transaction> transactions = new ArrayList<>();
    private final Set<Long> endedTransactions = new HashSet<>();
    private final Set<Key> lockedKeys = new HashSet<>();
    private boolean seesSessions = true;
    private long lastId;
    private int lastTransaction;
    private int lastVirtualId;
    private int lastLogged;

    /** A transaction that has started an insert, until it has released its lock. */
    public final class Transaction {
        private final int number = ++lastTransaction;
        private final String virtualId = "3/" + ++lastVirtualId;
        private final List<Message> written = new ArrayList<>();
        private final Set<Key> keys = new HashSet<>();
        private boolean prepared;
        private boolean ended;
        private boolean executes;
        private int statements;

        /** Locks the key and inserts a message; no effect if another transaction has locked the key, because it would wait. */
        public void write(Key key, String type, String payload) {
            statements++;
            if (!prepared && !ended && (keys.contains(key) || lockedKeys.add(key))) {
                keys.add(key);
                written.add(new Message(++lastId, new UUID(0, lastId), key, type, null, payload, Instant.EPOCH));
            }
        }

        /** Sets whether it is executing a statement. */
        public void execute(boolean now) {
            executes = now;
            statements++;
        }

        Set<Key> keys() {
            return keys;
        }

        public void prepare() {
            prepared |= !ended;
        }

        /** Makes its messages visible at once; the lock is still held. */
        public void commit() {
            if (!ended) {
                written.forEach(message -> visible.put(message.id(), message));
                lastLogged = Math.max(lastLogged, number);
                end();
            }
        }

        public void rollBack() {
            if (!ended) {
                written.forEach(message -> rolledBack.add(message.id()));
                end();
            }
        }

        private void end() {
            ended = true;
            endedTransactions.add(id());
            lockedKeys.removeAll(keys);
        }

        /** Releases the lock of the insert. */
        public void release() {
            if (ended) {
                transactions.remove(this);
            }
        }

        private long id() {
            return FIRST_ID + number;
        }

        private Writer writer() {
            if (prepared) {
                return Writer.prepared(id());
            }
            return written.isEmpty() ? Writer.running(virtualId) : new Writer(virtualId, id());
        }
    }

    /**
     * Crashes Postgres: prepared transactions continue, all others are rolled back. Virtual ids start again, and transaction ids after
     * the last one that has reached the log.
     */
    public void crash() {
        for (Transaction transaction : List.copyOf(transactions)) {
            if (transaction.ended || !transaction.prepared) {
                transaction.rollBack();
                transaction.release();
            }
        }
        lastVirtualId = 0;
        lastTransaction = lastLogged;
        transactions.forEach(transaction -> lastTransaction = Math.max(lastTransaction, transaction.number));
        endedTransactions.removeIf(id -> id > FIRST_ID + lastTransaction);
    }

    /** The role of the relay does not see which sessions are idle. */
    public void hideSessions() {
        seesSessions = false;
    }

    public Transaction begin() {
        Transaction transaction = new Transaction();
        transactions.add(transaction);
        return transaction;
    }

    public List<Transaction> transactions() {
        return transactions;
    }

    /** The last id that was drawn. */
    public long lastId() {
        return lastId;
    }

    /** What {@code writers.sql} returns. */
    public Writers writers() {
        return writers(lastId);
    }

    /** The same, with a last id from an earlier moment of the statement. */
    public Writers writers(long lastId) {
        Set<Writer> open = new HashSet<>();
        Map<Writer, String> idleSince = new HashMap<>();
        for (Transaction transaction : transactions) {
            open.add(transaction.writer());
            if (seesSessions && !transaction.prepared && !transaction.executes) {
                idleSince.put(transaction.writer(), "" + transaction.statements);
            }
        }
        return new Writers(open, idleSince, lastId);
    }

    /** What {@code read.sql} returns. */
    public Batch read(Read read) {
        NavigableMap<Long, Message> candidates = new TreeMap<>();
        var ranges = RANGE.matcher(read.missing());
        while (ranges.find()) {
            addFirst(candidates, Long.parseLong(ranges.group(1)), Long.parseLong(ranges.group(2)) - 1, read.limit());
        }
        if (read.position() < Long.MAX_VALUE) {
            addFirst(candidates, read.position() + 1, read.to(), read.limit());
        }
        List<Message> rows = new ArrayList<>();
        long bytes = 0;
        for (Message message : candidates.values()) {
            boolean selected = isSelected(message);
            bytes += selected && message.payload() != null ? message.payload().length() : 0;
            if (rows.size() < read.limit() && (bytes <= read.bytes() || rows.isEmpty())) {
                rows.add(selected ? message : Message.notSelected(message.id()));
            }
        }
        Set<Long> ended = new HashSet<>(rows.isEmpty() ? Set.of() : read.openTransactions());
        ended.retainAll(endedTransactions);
        return new Batch(read, rows, candidates.size(), ended);
    }

    private void addFirst(NavigableMap<Long, Message> candidates, long first, long last, int limit) {
        visible.subMap(first, true, last, true).values().stream()
                .limit(limit)
                .forEach(message -> candidates.put(message.id(), message));
    }

    /** The committed messages that the subscription selects, in order of id. */
    public List<Message> toDeliver() {
        return visible.values().stream().filter(SimulatedOutbox::isSelected).toList();
    }

    /** The committed messages, by id. */
    NavigableMap<Long, Message> visible() {
        return visible;
    }

    /** Those of them that come before an id. */
    List<Message> toDeliverBefore(long id) {
        return visible.headMap(id).values().stream()
                .filter(SimulatedOutbox::isSelected)
                .toList();
    }

    private static boolean isSelected(Message message) {
        return !message.type().equals(OTHER_TYPE);
    }

    /** Whether this id was drawn and will never be delivered: rolled back, or not selected. */
    public boolean isNothingToDeliver(long id) {
        return rolledBack.contains(id) || visible.containsKey(id) && !isSelected(visible.get(id));
    }

    long highestVisible() {
        return visible.isEmpty() ? 0 : visible.lastKey();
    }
}
