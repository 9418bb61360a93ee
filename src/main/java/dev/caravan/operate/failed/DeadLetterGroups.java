package dev.caravan.operate.failed;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.caravan.database.DatabaseClock;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * Dead letters by subscription and error, the largest group first.
 *
 * @param complete whether all dead letters were counted and {@code largest} contains all groups
 */
public record DeadLetterGroups(List<Group> largest, boolean complete) {
    /**
     * Dead letters of a subscription whose errors have the same class and the same pattern.
     *
     * @param error the beginning of one of the errors, the latest unless filters were given
     * @param pattern the error, with # for the parts that differ between messages
     * @param mark what a person noted about the group
     */
    public record Group(
            String subscription,
            ErrorGroup group,
            String errorClass,
            String error,
            String pattern,
            @JsonUnwrapped GroupMarks.Mark mark,
            long count,
            Instant firstSeen,
            Instant lastSeen,
            List<Long> trend) {

        private Group described(GroupMarks.Described description) {
            return new Group(
                    subscription,
                    group,
                    errorClass,
                    error,
                    description.pattern(),
                    description.mark(),
                    count,
                    firstSeen,
                    lastSeen,
                    trend);
        }
    }

    static final String ORDER =
            "set local enable_sort = off; set local enable_incremental_sort = off; set local jit = off";

    private static final int SHOWN = 200;
    private static final int MAX_COUNTED = 200_000;
    /** Groups are counted one by one if there are fewer than this. */
    private static final int FEW = 500;

    private static final int PARTS = 12;
    private static final Duration PART = Duration.ofHours(2);
    private static final Comparator<Group> LARGEST_FIRST = Comparator.comparingLong(Group::count)
            .thenComparing(Group::lastSeen)
            .reversed();

    private record Name(String subscription, ErrorGroup group) {}

    /**
     * Counts dead letters up to a limit. With filters other than subscription and time, only the latest dead letters are read. The
     * trend is the number of dead letters in each of the last twelve periods of two hours, the oldest first.
     */
    public static DeadLetterGroups of(DataSource dataSource, MessageFilter filter) throws SQLException {
        boolean searched = filter.types().isPresent()
                || filter.key().isPresent()
                || filter.error().isPresent()
                || filter.group().isPresent(); // which may not be among the largest
        DeadLetterGroups groups = searched ? searched(dataSource, filter) : counted(dataSource, filter);
        return groups.described(dataSource);
    }

    private DeadLetterGroups described(DataSource dataSource) throws SQLException {
        List<GroupMarks.Described> descriptions = new GroupMarks(dataSource).describe(largest);
        return new DeadLetterGroups(
                IntStream.range(0, largest.size())
                        .mapToObj(i -> largest.get(i).described(descriptions.get(i)))
                        .toList(),
                complete);
    }

    private static DeadLetterGroups counted(DataSource dataSource, MessageFilter filter) throws SQLException {
        return Transaction.run(dataSource, connection -> {
            Sql.execute(connection, ORDER);
            String[] subscriptions = filter.subscription().isPresent()
                    ? new String[] {filter.subscription().get()}
                    : Sql.file("operate/dead_letter_subscriptions")
                            .query(connection, row -> row.getString(1))
                            .toArray(String[]::new);
            Instant trendFrom = startOfTrend(DatabaseClock.now(connection));
            Optional<DeadLetterGroups> few = few(connection, subscriptions, filter, trendFrom);
            return few.isPresent() ? few.get() : many(connection, subscriptions, filter, trendFrom);
        });
    }

    /** Empty if there are too many groups to count one by one: the largest may not be among the first. */
    private static Optional<DeadLetterGroups> few(
            Connection connection, String[] subscriptions, MessageFilter filter, Instant trendFrom)
            throws SQLException {
        long[] groups = {0};
        boolean[] complete = {true};
        List<Optional<Group>> counted = count("operate/dead_letter_groups", subscriptions, filter, trendFrom)
                .with("few", FEW)
                .query(connection, row -> {
                    groups[0] = row.getLong("groups");
                    complete[0] = row.getLong("counted") < MAX_COUNTED;
                    return row.getLong("messages") == 0 ? Optional.empty() : Optional.of(group(row));
                });
        return groups[0] < FEW
                ? Optional.of(largest(counted.stream().flatMap(Optional::stream).toList(), complete[0]))
                : Optional.empty();
    }

    private static DeadLetterGroups many(
            Connection connection, String[] subscriptions, MessageFilter filter, Instant trendFrom)
            throws SQLException {
        boolean[] complete = {true};
        List<Group> counted = count("operate/dead_letter_many_groups", subscriptions, filter, trendFrom)
                .query(connection, row -> {
                    complete[0] = row.getLong("counted") < MAX_COUNTED;
                    return group(row);
                });
        return largest(counted, complete[0]);
    }

    private static Sql count(String file, String[] subscriptions, MessageFilter filter, Instant trendFrom) {
        return Sql.file(file)
                .with("subscriptions", subscriptions)
                .withKnown(filter.parameters())
                .with("trendFrom", trendFrom)
                .with("trendSeconds", PART.toSeconds())
                .with("counted", (long) MAX_COUNTED)
                .with("largest", SHOWN + 1);
    }

    private static Instant startOfTrend(Instant now) {
        return now.minus(PART.multipliedBy(PARTS));
    }

    private static Group group(ResultSet row) throws SQLException {
        return new Group(
                row.getString("subscription"),
                new ErrorGroup(row.getLong("error_group")),
                row.getString("error_class"),
                row.getString("error"),
                "",
                GroupMarks.Mark.NONE,
                row.getLong("messages"),
                Sql.instant(row, "first_seen"),
                Sql.instant(row, "last_seen"),
                Arrays.asList((Long[]) row.getArray("trend").getArray()));
    }

    private static DeadLetterGroups searched(DataSource dataSource, MessageFilter filter) throws SQLException {
        Instant from = startOfTrend(DatabaseClock.now(dataSource));
        Map<Name, Group> groups = new LinkedHashMap<>();
        var page = new DeadLetterSearch(dataSource).page(filter, Optional.empty(), MAX_COUNTED);
        for (DeadLetterSummary letter : page.items()) {
            groups.merge(new Name(letter.subscription(), letter.group()), groupOf(letter, from), DeadLetterGroups::sum);
        }
        return largest(List.copyOf(groups.values()), page.next().isEmpty());
    }

    private static Group groupOf(DeadLetterSummary letter, Instant from) {
        Long[] trend = new Long[PARTS];
        Arrays.fill(trend, 0L);
        long index = Math.floorDiv(Duration.between(from, letter.lastFailedAt()).toMillis(), PART.toMillis());
        if (index >= 0) {
            trend[(int) Math.min(index, PARTS - 1)] = 1L;
        }
        return new Group(
                letter.subscription(),
                letter.group(),
                letter.errorClass(),
                letter.errorText(),
                "",
                GroupMarks.Mark.NONE,
                1,
                letter.firstFailedAt(),
                letter.lastFailedAt(),
                Arrays.asList(trend));
    }

    private static Group sum(Group a, Group b) {
        List<Long> trend = new ArrayList<>();
        for (int i = 0; i < PARTS; i++) {
            trend.add(a.trend.get(i) + b.trend.get(i));
        }
        return new Group(
                a.subscription,
                a.group,
                a.errorClass,
                a.error,
                a.pattern,
                a.mark,
                a.count + b.count,
                a.firstSeen.isBefore(b.firstSeen) ? a.firstSeen : b.firstSeen,
                a.lastSeen.isAfter(b.lastSeen) ? a.lastSeen : b.lastSeen,
                trend);
    }

    private static DeadLetterGroups largest(List<Group> groups, boolean complete) {
        List<Group> sorted = groups.stream().sorted(LARGEST_FIRST).limit(SHOWN).toList();
        return new DeadLetterGroups(sorted, complete && groups.size() <= SHOWN);
    }
}
