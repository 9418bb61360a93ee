package dev.caravan.operate.partition;

import dev.caravan.database.Column;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.partition.Partition.Ids;
import dev.caravan.operate.partition.Partition.State;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * Reads the state of the partitions of outboxes in one database: the catalog, and of each partition at most the first and the last row.
 * Those of a full partition do not change: they are read once and remembered. Thread-safe.
 */
public final class PartitionReader {
    /** One snapshot for all statements. A custom plan opens only the partition that a statement reads. */
    private static final String SETTINGS = "set transaction isolation level repeatable read; " + Transaction.PLANS
            + "; set local enable_sort = off; set local jit = off";

    /** The ends of full partitions; the one that was read longest ago comes first. */
    private final Map<Place, Ends> known = new LinkedHashMap<>();

    private record Place(long oid, Ids ids) {}

    /** The first and the last message of a partition. */
    private record Ends(long lowest, Instant oldest, long highest, Instant newest) {
        /** @param later ends of higher ids */
        Ends to(Ends later) {
            return new Ends(lowest, oldest, later.highest, later.newest);
        }
    }

    /** A row of the catalog. The ids are empty for outbox_default. */
    private record Listed(
            long oid,
            String name,
            Optional<Ids> ids,
            @Column("rows_estimate") OptionalLong rows,
            OptionalLong bytes,
            long lastId,
            boolean hasSubscription,
            boolean mayReadHistory,
            Instant now) {}

    /** A partition with its ids and ends; outbox_default has the ids between its ends. */
    private record Read(Listed listed, Optional<Ids> ids, Optional<Ends> ends) {
        boolean isDefault() {
            return listed.ids.isEmpty();
        }

        boolean isAhead() {
            return ids.orElseThrow().lower() > listed.lastId;
        }

        boolean hasIdsAfter(long id) {
            return ids.orElseThrow().upper() - 1 > id;
        }

        boolean covers(long id) {
            return ids.orElseThrow().lower() <= id && id < ids.orElseThrow().upper();
        }
    }

    /** All partitions in order of id, outbox_default last. */
    public List<Partition> all(DataSource dataSource, Retention retention) throws SQLException {
        try (var connection = dataSource.getConnection()) {
            return read(connection, retention, true);
        }
    }

    /** As {@link #all}, without their sizes: for frequent calls. */
    public List<Partition> states(DataSource dataSource, Retention retention) throws SQLException {
        try (var connection = dataSource.getConnection()) {
            return states(connection, retention);
        }
    }

    List<Partition> states(Connection connection, Retention retention) throws SQLException {
        return read(connection, retention, false);
    }

    /** The prunable partitions. Their ends are read again, because a late commit may have added a newer message. */
    List<Partition> prunable(Connection connection, Retention retention) throws SQLException {
        List<Partition> found = prunable(states(connection, retention));
        if (found.isEmpty()) {
            return found;
        }
        found.forEach(this::forget);
        return prunable(states(connection, retention));
    }

    private static List<Partition> prunable(List<Partition> all) {
        return all.stream()
                .filter(partition -> partition.state() == State.PRUNABLE)
                .toList();
    }

    private List<Partition> read(Connection connection, Retention retention, boolean sizes) throws SQLException {
        connection.setAutoCommit(false);
        try {
            Sql.execute(connection, SETTINGS);
            List<Read> read = ends(
                    connection,
                    Sql.file("operate/partitions").with("sizes", sizes).query(connection, Listed.class));
            List<List<Holder>> holders = holders(connection, read);
            List<Boolean> old = old(connection, read, retention);
            return IntStream.range(0, read.size())
                    .mapToObj(place -> partition(
                            read.get(place),
                            state(read, place, holders.get(place), old.get(place)),
                            holders.get(place)))
                    .toList();
        } finally {
            if (!connection.isClosed()) {
                connection.rollback(); // releases the read locks, which would conflict with a detach
                connection.setAutoCommit(true);
            }
        }
    }

    private List<Read> ends(Connection connection, List<Listed> listed) throws SQLException {
        forgetFirst();
        List<Read> read = new ArrayList<>();
        for (Listed partition : listed) {
            read.add(
                    partition.ids.isPresent()
                            ? new Read(partition, partition.ids, ends(connection, partition, partition.ids.get()))
                            : readDefault(connection, partition, listed));
        }
        return read;
    }

    /**
     * The ends of an empty partition are not remembered, although it is full: a transaction that has filled all of it may be open. Nor are
     * those of a partition that still gets ids.
     */
    private Optional<Ends> ends(Connection connection, Listed partition, Ids ids) throws SQLException {
        Place place = new Place(partition.oid, ids);
        Optional<Ends> found = known(place);
        if (found.isEmpty()) {
            found = ends(connection, ids);
            if (ids.upper() <= partition.lastId) {
                found.ifPresent(ends -> remember(place, ends));
            }
        }
        return found;
    }

    private static Optional<Ends> ends(Connection connection, Ids ids) throws SQLException {
        return Sql.file("operate/ends")
                .with("lower", ids.lower())
                .with("upper", ids.upper())
                .query(connection, Ends.class)
                .stream()
                .findFirst();
    }

    private static Read readDefault(Connection connection, Listed partition, List<Listed> all) throws SQLException {
        Optional<Ends> found = Optional.empty();
        for (Ids hole : holes(all)) {
            Optional<Ends> next = ends(connection, hole);
            found = found.isEmpty() || next.isEmpty() ? found.or(() -> next) : found.map(ends -> ends.to(next.get()));
        }
        return new Read(partition, found.map(ends -> new Ids(ends.lowest, ends.highest + 1)), found);
    }

    /** The ids that no partition but outbox_default can contain. */
    private static List<Ids> holes(List<Listed> inOrder) {
        List<Ids> holes = new ArrayList<>();
        long from = Long.MIN_VALUE;
        for (Listed partition : inOrder) {
            if (partition.ids.isPresent()) {
                if (from < partition.ids.get().lower()) {
                    holes.add(new Ids(from, partition.ids.get().lower()));
                }
                from = partition.ids.get().upper();
            }
        }
        if (from < Long.MAX_VALUE) {
            holes.add(new Ids(from, Long.MAX_VALUE));
        }
        return holes;
    }

    /** In the order of the partitions; none for an empty outbox_default. */
    private static List<List<Holder>> holders(Connection connection, List<Read> read) throws SQLException {
        Ids none = new Ids(0, 0);
        List<Ids> ranges =
                read.stream().map(partition -> partition.ids.orElse(none)).toList();
        List<List<Holder>> holders = Sql.file("operate/holders")
                .withEach("lowers", ranges, Ids::lower, Long[]::new)
                .withEach("uppers", ranges, Ids::upper, Long[]::new)
                .query(connection, PartitionReader::holders);
        return IntStream.range(0, read.size())
                .mapToObj(place -> read.get(place).ids.isPresent() ? holders.get(place) : List.<Holder>of())
                .toList();
    }

    private static List<Holder> holders(ResultSet row) throws SQLException {
        String[] names = (String[]) row.getArray("names").getArray();
        String[] reasons = (String[]) row.getArray("reasons").getArray();
        return IntStream.range(0, names.length)
                .mapToObj(i -> new Holder(names[i], Holder.Reason.of(reasons[i])))
                .toList();
    }

    private static Partition partition(Read read, State state, List<Holder> holders) {
        return new Partition(
                read.listed.oid,
                read.listed.name,
                read.ids,
                read.listed.rows,
                read.listed.bytes,
                read.ends.map(Ends::oldest),
                read.ends.map(Ends::newest),
                state,
                holders);
    }

    private static State state(List<Read> all, int place, List<Holder> holders, boolean isOld) {
        Read read = all.get(place);
        if (read.ids.isEmpty()) {
            return State.EMPTY;
        }
        if (read.isAhead()) {
            return State.AHEAD;
        }
        if (isInUse(all, read)) {
            return State.CURRENT;
        }
        if (!isOld) {
            return State.RETAINED;
        }
        // Without a subscription nothing is pruned, because one that is added later may start at the beginning.
        return holders.isEmpty() && read.listed.hasSubscription ? State.PRUNABLE : State.HELD_BACK;
    }

    /** Whether ids are drawn from it now. */
    private static boolean isInUse(List<Read> all, Read read) {
        long nextId = read.listed.lastId + 1;
        return read.ids.orElseThrow().upper() >= nextId
                || read.isDefault() && all.stream().noneMatch(other -> !other.isDefault() && other.covers(nextId));
    }

    /**
     * Which partitions are older than the retention, in order. Applications may write any time into {@code created_at}, so a partition whose ids
     * were drawn within the retention is not, as far as relays have stored when ids were drawn.
     */
    private static List<Boolean> old(Connection connection, List<Read> all, Retention retention) throws SQLException {
        List<Boolean> byTime = all.stream()
                .map(read ->
                        read.ids.isPresent() && !read.isAhead() && !isInUse(all, read) && isOlder(all, read, retention))
                .toList();
        if (!byTime.contains(true) || !all.get(0).listed.mayReadHistory) {
            return byTime;
        }
        Instant begin = all.get(0).listed.now.minus(retention.age().orElseThrow());
        Optional<Long> drawnBefore =
                Sql.file("operate/drawn_before").with("since", begin).first(connection, row -> row.getLong(1));
        return IntStream.range(0, all.size())
                .mapToObj(place -> byTime.get(place)
                        && drawnBefore.filter(all.get(place)::hasIdsAfter).isEmpty())
                .toList();
    }

    /**
     * Whether its newest message is older than the retention; an empty partition counts as older. When the newest message has a time in the
     * future (also infinity), the message after the partition, which was written later, decides the age.
     */
    private static boolean isOlder(List<Read> all, Read read, Retention retention) {
        if (retention.age().isEmpty()) {
            return false;
        }
        Instant limit = read.listed.now.minus(retention.age().get());
        return read.ends
                .map(Ends::newest)
                .map(newest ->
                        newest.isAfter(read.listed.now) ? following(all, read).orElse(newest) : newest)
                .map(newest -> newest.isBefore(limit))
                .orElse(true);
    }

    private static Optional<Instant> following(List<Read> all, Read read) {
        long upper = read.ids.orElseThrow().upper();
        return all.stream()
                .flatMap(other -> other.ends.stream())
                .filter(ends -> ends.lowest >= upper)
                .min((one, other) -> Long.compare(one.lowest, other.lowest))
                .map(Ends::oldest);
    }

    private synchronized Optional<Ends> known(Place place) {
        return Optional.ofNullable(known.get(place));
    }

    private synchronized void remember(Place place, Ends ends) {
        known.put(place, ends);
    }

    private synchronized void forget(Partition partition) {
        partition.ids().ifPresent(ids -> known.remove(new Place(partition.oid(), ids)));
    }

    /** So that a change by hand is noticed in time, and dropped partitions do not stay. */
    private synchronized void forgetFirst() {
        Iterator<Place> first = known.keySet().iterator();
        if (first.hasNext()) {
            first.next();
            first.remove();
        }
    }
}
