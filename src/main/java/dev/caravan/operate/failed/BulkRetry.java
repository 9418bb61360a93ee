package dev.caravan.operate.failed;

import dev.caravan.base.text.Formatted;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The state of a bulk retry of dead letters of one subscription.
 *
 * @param first number of messages that are retried first; others are retried when their outcome is known
 * @param rate maximum number of messages retried per second; empty for no limit
 * @param matched number of dead letters that matched at the start
 * @param failed number of retried messages whose next attempt failed again
 * @param pending number of retried messages whose outcome is not known
 * @param waitsFor why no message is retried now
 * @param stoppedBecause why it stopped by itself
 */
public record BulkRetry(
        long id,
        String subscription,
        State state,
        int first,
        OptionalInt rate,
        long matched,
        long retried,
        long delivered,
        long failed,
        long pending,
        Optional<String> waitsFor,
        Optional<String> stoppedBecause,
        String who,
        Optional<String> reason,
        Instant startedAt,
        Optional<Instant> endedAt) {

    /** What a bulk retry does now. */
    public enum State {
        RUNNING,
        PAUSED,
        /** Stopped by itself, because too many failed again. */
        STOPPED,
        CANCELLED,
        /** All are retried, and their outcome is known. */
        DONE;

        /** The value in the database and the API. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        static State of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }
    }

    static BulkRetry of(ResultSet row) throws SQLException {
        int rate = row.getInt("rate");
        OffsetDateTime ended = row.getObject("ended_at", OffsetDateTime.class);
        return new BulkRetry(
                row.getLong("id"),
                row.getString("subscription"),
                State.of(row.getString("state")),
                row.getInt("first"),
                rate == 0 ? OptionalInt.empty() : OptionalInt.of(rate),
                row.getLong("matched"),
                row.getLong("retried"),
                row.getLong("delivered"),
                row.getLong("failed"),
                ((Object[]) row.getArray("pending").getArray()).length,
                Optional.ofNullable(row.getString("waits_for")),
                Optional.ofNullable(row.getString("stopped_because")),
                row.getString("who"),
                Optional.ofNullable(row.getString("reason")),
                row.getObject("started_at", OffsetDateTime.class).toInstant(),
                Optional.ofNullable(ended).map(OffsetDateTime::toInstant));
    }

    public boolean isRunning() {
        return state == State.RUNNING;
    }

    /** Number of matching dead letters that are not retried; an estimate if people retry or discard some of them otherwise. */
    public long left() {
        return state == State.DONE ? 0 : Math.max(0, matched - retried);
    }

    /** Its progress, in one or two sentences. */
    public String statement() {
        return "Bulk retry " + id + " of " + subscription + " is " + state.text() + ": "
                + Formatted.counted(retried, "dead letter")
                + " retried, " + delivered + " delivered, " + failed + " failed again, " + pending
                + " without an outcome yet, "
                + left() + " left."
                + stoppedBecause.map(why -> " It stopped because " + why + ".").orElse("");
    }

    /** A sentence for each that was started and no longer exists, with the reason. */
    public static List<String> gone(List<BulkRetry> started, List<BulkRetry> existing) {
        return started.stream()
                .filter(each -> existing.stream().noneMatch(other -> other.id == each.id))
                .map(each -> "Bulk retry " + each.id + " of " + each.subscription
                        + " no longer exists: its subscription was deleted, or a replica that lacks it was promoted.")
                .toList();
    }

    public Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", id);
        fields.put("subscription", subscription);
        fields.put("state", state.text());
        fields.put("first", first);
        fields.put("rate", rate.isPresent() ? rate.getAsInt() : null);
        fields.put("matched", matched);
        fields.put("retried", retried);
        fields.put("delivered", delivered);
        fields.put("failed", failed);
        fields.put("pending", pending);
        fields.put("left", left());
        fields.put("waitsFor", waitsFor.orElse(null));
        fields.put("stoppedBecause", stoppedBecause.orElse(null));
        fields.put("who", who);
        fields.put("reason", reason.orElse(null));
        fields.put("startedAt", startedAt.toString());
        fields.put("endedAt", endedAt.map(Instant::toString).orElse(null));
        return fields;
    }
}
