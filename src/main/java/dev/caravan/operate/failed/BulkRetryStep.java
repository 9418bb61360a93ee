package dev.caravan.operate.failed;

import dev.caravan.base.text.Formatted;
import dev.caravan.database.Statement;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.audit.Via;
import dev.caravan.operate.failed.BulkRetry.State;
import dev.caravan.operate.subscription.LaneChange;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** One step of a bulk retry, in one transaction. Counts the outcomes, and retries more messages if these, the rate and the lanes allow. */
final class BulkRetryStep {
    private static final int PAGE = 2_000;
    private static final int MAX_PAGES = 10;

    /**
     * The locked row of a bulk retry.
     *
     * @param ids the selected messages; null for all that match
     * @param filter the values of the filter, which are the last parameters of {@code bulk_retry_page}
     */
    private record Locked(
            BulkRetry shown,
            BulkRetryProgress progress,
            long afterId,
            int permits,
            Actor actor,
            Array ids,
            List<Object> filter) {}

    private record Lanes(boolean stopped, boolean owned, boolean unavailable) {}

    /** What a step found: dead letters to retry, and the last id that it has examined. */
    private record Found(Selection.Chunk chunk, long lastId, boolean isEnd) {}

    private BulkRetryStep() {}

    /**
     * Does nothing if it is not running, or while another process makes a step.
     *
     * @return whether more messages may be retried at once
     */
    static boolean run(Connection connection, long id) throws SQLException {
        boolean more = false;
        for (Locked row : locked(connection, id)) {
            more = step(connection, row);
        }
        return more;
    }

    private static List<Locked> locked(Connection connection, long id) throws SQLException {
        return Statement.query(
                connection, "operate/bulk_retry_lock", BulkRetryStep::locked, BulkRetryProgress.MAX_PENDING, id);
    }

    /** Counts the outcomes of the pending messages of a running one, without regard to the rule by which it stops. */
    static void countOutcomes(Connection connection, long id) throws SQLException {
        for (Locked row : locked(connection, id)) {
            BulkRetryProgress progress =
                    row.progress.with(outcome(connection, row)).withoutRecent();
            save(connection, row, progress, row.afterId, State.RUNNING, null, null);
        }
    }

    /** Whether a relay makes attempts for a subscription. */
    static boolean isObserved(Connection connection, String subscription) throws SQLException {
        Lanes lanes = lanes(connection, subscription);
        return lanes.owned && !lanes.stopped;
    }

    private static Locked locked(ResultSet row) throws SQLException {
        long[] pending = longs(row, "pending");
        return new Locked(
                BulkRetry.of(row),
                new BulkRetryProgress(
                        row.getInt("first"),
                        row.getLong("retried"),
                        row.getLong("delivered"),
                        row.getLong("failed"),
                        row.getInt("recent_outcomes"),
                        row.getInt("recent_failed"),
                        pending),
                row.getLong("after_id"),
                row.getInt("permits"),
                new Actor(
                        row.getString("who"),
                        Via.valueOf(row.getString("via").toUpperCase(Locale.ROOT)),
                        Optional.ofNullable(row.getString("reason"))),
                row.getArray("ids"),
                Arrays.asList(
                        row.getObject("since", OffsetDateTime.class),
                        row.getObject("until", OffsetDateTime.class),
                        row.getArray("types"),
                        row.getString("aggregate_type"),
                        row.getString("aggregate_id"),
                        row.getString("error"),
                        row.getObject("error_group")));
    }

    private static long[] longs(ResultSet row, String column) throws SQLException {
        return Arrays.stream((Long[]) row.getArray(column).getArray())
                .mapToLong(Long::longValue)
                .toArray();
    }

    private static boolean step(Connection connection, Locked row) throws SQLException {
        BulkRetryProgress.Outcome outcome = outcome(connection, row);
        BulkRetryProgress progress = row.progress.with(outcome);
        if (progress.mustStop()) {
            save(connection, row, progress, row.afterId, State.STOPPED, null, reasonToStop(progress, outcome));
            return false;
        }
        Optional<String> obstacle = obstacle(lanes(connection, row.shown.subscription()));
        int wanted = obstacle.isPresent() ? 0 : Math.min(row.permits, progress.mayRetry());
        if (wanted > 0) {
            return retry(connection, row, progress, wanted);
        }
        String waitsFor = obstacle.orElse(progress.mayRetry() == 0 ? outcomes(progress) : null);
        save(connection, row, progress, row.afterId, State.RUNNING, waitsFor, null);
        return false;
    }

    /** One page of the dead letters bounds what one transaction retries. */
    private static boolean retry(Connection connection, Locked row, BulkRetryProgress before, int wanted)
            throws SQLException {
        Found found = found(connection, row, wanted);
        BulkRetryProgress progress = before;
        if (found.chunk.size() > 0) {
            LaneChange.lockLanes(connection, row.shown.subscription());
            progress = before.retried(DeadLetters.moveBack(connection, found.chunk, row.actor));
        }
        boolean isDone = found.isEnd && progress.pending().length == 0;
        String waitsFor = found.isEnd && !isDone ? outcomes(progress) : null;
        save(connection, row, progress, found.lastId, isDone ? State.DONE : State.RUNNING, waitsFor, null);
        return !found.isEnd && found.chunk.size() < wanted;
    }

    private static String outcomes(BulkRetryProgress progress) {
        return "the outcome of " + Formatted.counted(progress.pending().length, "message");
    }

    private static String reasonToStop(BulkRetryProgress progress, BulkRetryProgress.Outcome outcome) {
        return progress.recentFailed() + " of the " + (progress.isFirst() ? "first " : "last ") + progress.recent()
                + " failed again"
                + outcome.error()
                        .map(error -> ", with " + error.replaceAll("\\s+", " "))
                        .orElse("");
    }

    private static BulkRetryProgress.Outcome outcome(Connection connection, Locked row) throws SQLException {
        return Statement.query(
                        connection,
                        "operate/bulk_retry_outcome",
                        found -> new BulkRetryProgress.Outcome(
                                longs(found, "waiting"),
                                found.getLong("failed"),
                                found.getLong("discarded"),
                                Optional.ofNullable(found.getString("error"))),
                        row.progress.pending(),
                        row.shown.subscription(),
                        row.shown.startedAt())
                .get(0);
    }

    private static Lanes lanes(Connection connection, String subscription) throws SQLException {
        return Statement.query(
                        connection,
                        "operate/bulk_retry_lanes",
                        row -> new Lanes(row.getBoolean(1), row.getBoolean(2), row.getBoolean(3)),
                        subscription)
                .get(0);
    }

    /** Why the subscription makes no attempts now; empty if it makes attempts. */
    private static Optional<String> obstacle(Lanes lanes) {
        if (lanes.stopped) {
            return Optional.of("the subscription, which is paused or halted");
        }
        if (!lanes.owned) {
            return Optional.of("a relay that runs the subscription");
        }
        return lanes.unavailable ? Optional.of("the destination, which is unavailable") : Optional.empty();
    }

    private static Found found(Connection connection, Locked row, int wanted) throws SQLException {
        long after = row.afterId;
        for (int page = 0; ; page++) {
            long from = after;
            Found found = Statement.query(
                            connection,
                            "operate/bulk_retry_page",
                            read -> found(read, row.shown.subscription(), from, wanted),
                            pageParameters(row, from))
                    .get(0);
            if (found.isEnd || found.chunk.size() > 0 || page == MAX_PAGES) {
                return found;
            }
            after = found.lastId;
        }
    }

    private static Found found(ResultSet row, String subscription, long from, int wanted) throws SQLException {
        long[] ids = longs(row, "ids");
        long[] micros = longs(row, "micros");
        boolean all = ids.length <= wanted;
        int count = Math.min(ids.length, wanted);
        boolean isEnd = all && row.getLong("examined") < PAGE;
        long last = all ? row.getLong("last_id") : ids[count - 1];
        return new Found(
                new Selection.Chunk(subscription, Arrays.copyOf(ids, count), Arrays.copyOf(micros, count)),
                row.getLong("examined") == 0 ? from : last,
                isEnd);
    }

    private static Object[] pageParameters(Locked row, long after) {
        List<Object> all = new ArrayList<>(Arrays.asList(row.shown.subscription(), after, row.ids, row.ids, PAGE));
        all.addAll(row.filter);
        return all.toArray();
    }

    private static void save(
            Connection connection,
            Locked row,
            BulkRetryProgress progress,
            long afterId,
            State state,
            String waitsFor,
            String stoppedBecause)
            throws SQLException {
        Statement.update(
                connection,
                "operate/bulk_retry_save",
                state.text(),
                progress.retried(),
                progress.delivered(),
                progress.failed(),
                progress.recent(),
                progress.recentFailed(),
                progress.pending(),
                afterId,
                waitsFor,
                stoppedBecause,
                progress.retried() - row.progress.retried(),
                state != State.RUNNING,
                row.shown.id());
    }
}
