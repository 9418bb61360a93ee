package dev.caravan.operate.explain;

import dev.caravan.base.text.HttpStatusText;
import dev.caravan.database.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A row of why/facts.sql: the facts that decide whether a message is delivered to one subscription.
 *
 * @param open whether it is read and not finished
 * @param dead the message itself as a dead letter
 * @param retry the message itself in outbox_retry; {@code blocked} says whether it waits behind another one
 * @param behind number of messages in outbox_retry before it, at most 1,000; {@code first} is the first of them
 * @param deadBefore a dead letter that blocks it
 * @param writtenAt empty if the message is no longer in the outbox
 * @param ahead number of messages of its lane that are read before it; a lower bound if {@code moreAhead}
 * @param missingBefore the first missing id that it waits for
 * @param discarded whether the last change by a person was to discard it
 * @param behindAll whether it waits for all earlier messages, as in order {@code strict}; otherwise only for those of its key
 */
record Facts(
        String subscription,
        int lane,
        int lanes,
        List<String> types,
        boolean notSelected,
        boolean notReached,
        boolean open,
        Optional<String> owner,
        Instant savedAt,
        Optional<Instant> writtenAt,
        boolean paused,
        Optional<Pause> pause,
        Optional<Halt> halt,
        boolean changing,
        Optional<Outage> outage,
        Optional<String> rateLimit,
        Optional<Failed> dead,
        Optional<Failed> retry,
        boolean blocked,
        long behind,
        Optional<Failed> first,
        Optional<Long> deadBefore,
        boolean behindAll,
        long ahead,
        boolean moreAhead,
        Optional<Long> missingBefore,
        boolean discarded,
        boolean discardCanBeUndone) {

    record Pause(Instant at, String who, Optional<String> reason) {
        /** {@code  by anna: moves house}, with a leading space. */
        String text() {
            return " by " + who + reason.map(why -> ": " + why).orElse("");
        }
    }

    record Halt(Instant at, String reason) {}

    record Outage(Instant since, Optional<String> error, Optional<Instant> nextProbe) {}

    /**
     * A failed message.
     *
     * @param at the last failure, or null
     * @param nextAttempt null for a dead or blocked one
     * @param error the answer of the destination or the last error, the HTTP status first; null if it has not failed
     */
    record Failed(long id, int attempts, Instant at, Instant nextAttempt, String error) {}

    static Facts of(ResultSet row, long id) throws SQLException {
        return new Facts(
                row.getString("name"),
                row.getInt("lane"),
                row.getInt("lanes"),
                types(row),
                row.getBoolean("not_selected"),
                row.getBoolean("not_reached"),
                row.getBoolean("open"),
                Optional.ofNullable(row.getString("owner")),
                time(row, "saved_at"),
                Sql.time(row, "written_at"),
                row.getBoolean("paused"),
                pause(row),
                halt(row),
                row.getBoolean("changing"),
                outage(row),
                Optional.ofNullable(row.getString("rate_limit")),
                dead(row, id),
                retry(row, id),
                row.getBoolean("blocked"),
                row.getLong("behind"),
                first(row),
                Optional.ofNullable((Long) row.getObject("dead_before")),
                row.getBoolean("behind_all"),
                row.getLong("ahead"),
                row.getBoolean("more_ahead"),
                Optional.ofNullable((Long) row.getObject("missing_before")),
                row.getBoolean("discarded"),
                row.getBoolean("discard_can_be_undone"));
    }

    private static Optional<Pause> pause(ResultSet row) throws SQLException {
        return row.getObject("paused_at") == null
                ? Optional.empty()
                : Optional.of(new Pause(
                        time(row, "paused_at"),
                        row.getString("paused_by"),
                        Optional.ofNullable(row.getString("pause_reason"))));
    }

    private static Optional<Halt> halt(ResultSet row) throws SQLException {
        return row.getObject("halted_at") == null
                ? Optional.empty()
                : Optional.of(new Halt(time(row, "halted_at"), row.getString("halted_reason")));
    }

    private static Optional<Outage> outage(ResultSet row) throws SQLException {
        return row.getObject("unavailable_since") == null
                ? Optional.empty()
                : Optional.of(new Outage(
                        time(row, "unavailable_since"),
                        Optional.ofNullable(row.getString("destination_error")),
                        Sql.time(row, "next_probe_at")));
    }

    private static Optional<Failed> dead(ResultSet row, long id) throws SQLException {
        return row.getObject("dead_since") == null
                ? Optional.empty()
                : Optional.of(new Failed(
                        id, row.getInt("dead_attempts"), time(row, "dead_since"), null, error(row, "dead_")));
    }

    private static Optional<Failed> retry(ResultSet row, long id) throws SQLException {
        return row.getObject("blocked") == null
                ? Optional.empty()
                : Optional.of(new Failed(
                        id,
                        row.getInt("attempts"),
                        time(row, "last_failed_at"),
                        time(row, "next_attempt_at"),
                        error(row, "")));
    }

    private static Optional<Failed> first(ResultSet row) throws SQLException {
        return row.getObject("first_id") == null
                ? Optional.empty()
                : Optional.of(new Failed(
                        row.getLong("first_id"),
                        row.getInt("first_attempts"),
                        null,
                        time(row, "first_next_attempt_at"),
                        error(row, "first_")));
    }

    private static List<String> types(ResultSet row) throws SQLException {
        var types = row.getArray("types");
        return types == null ? List.of() : Arrays.asList((String[]) types.getArray());
    }

    /** @param prefix of the columns of this message */
    private static String error(ResultSet row, String prefix) throws SQLException {
        String text = row.getString(prefix + "error_text");
        if (text == null) {
            return null;
        }
        String answer = row.getString(prefix + "answer");
        return answer == null
                ? HttpStatusText.error(row.getString(prefix + "error_class"), text)
                : HttpStatusText.answer(answer, text);
    }

    /** Null if there is none. */
    private static Instant time(ResultSet row, String column) throws SQLException {
        return Sql.time(row, column).orElse(null);
    }

    /** Whether it waits in the outbox: neither in a side table nor delivered. */
    boolean isUnread() {
        return dead.isEmpty() && retry.isEmpty() && !notSelected && (notReached || open);
    }
}
